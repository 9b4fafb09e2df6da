#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the tree that text alone shows: file length, SPDX lines, marks of unfinished work, paths of one machine,
the table of findings in docs and code, links in the documentation.

usage: tools/check_tree.py [--root DIR] [RULE...]      (rules: length spdx marks paths findings links; default: all)
"""
import argparse
import re
from pathlib import Path

import tree

SOURCE = {".cpp", ".hpp", ".h", ".cu", ".py", ".js", ".sh", ".S", ".cmake"}
TEXT = SOURCE | {".md", ".toml", ".txt", ".json", ".def", ".sql", ".css", ".html", ".yml", ""}
LONGEST = 500
# Spelt in pieces: this file is checked, too.
MARKS = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "X" * 3, "not " + "implemented")) + r")\b")
MACHINE = re.compile(r"(?<![\w.*}])/(work|home/[a-z]\w*|Users/[a-z]\w*)/|/root/\.|venv-" + r"dev\b")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
FENCE = re.compile(r"^(```|~~~).*?^\1", re.M | re.S)


def sources(root, suffixes):
    return [path for path in tree.files(root) if path.suffix in suffixes]


def lines_of(root, suffixes):
    """(path, number, line) of every line of the files with these suffixes."""
    for path in sources(root, suffixes):
        for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
            yield path, number, line


def length(root):
    counts = {path: (root / path).read_text(errors="replace").count("\n") for path in sources(root, SOURCE)}
    return [f"{path}: {count} lines, more than {LONGEST}: can one idea move out?"
            for path, count in counts.items() if count > LONGEST]


def spdx(root):
    findings = []
    for path in sources(root, SOURCE | {".def"}):
        head = (root / path).read_text(errors="replace").splitlines()[:2]
        if head and not any("SPDX-License-Identifier: Apache-2.0" in line for line in head):
            findings.append(f"{path}: the first line (after #!) is not `SPDX-License-Identifier: Apache-2.0`")
    return findings


def marks(root):
    return [f"{path}:{number}: mark of unfinished work `{found.group(0)}`: finish it, or say it in the product"
            for path, number, line in lines_of(root, TEXT - {".md"}) if (found := MARKS.search(line))]


def paths(root):
    return [f"{path}:{number}: a path of one machine: {found.group(0)}"
            for path, number, line in lines_of(root, TEXT) if (found := MACHINE.search(line))]


def findings(root):
    """docs/contracts/findings.md and src/model/finding_kinds.def hold the same rows in the same order."""
    page = (root / "docs/contracts/findings.md").read_text()
    code = (root / "src/model/finding_kinds.def").read_text()
    told = re.findall(r"^\| `(\w+)` \| (\w+) \|", page, re.M)
    done = re.findall(r"^KGB_FINDING\((\w+), (\w+)\)", code, re.M)
    if not told or not done:
        return ["docs/contracts/findings.md or src/model/finding_kinds.def: no rows found"]
    for number, (a, b) in enumerate(zip(told, done), 1):
        if a != b:
            return [f"findings: row {number} is {a} in docs/contracts/findings.md, {b} in src/model/finding_kinds.def"]
    if len(told) != len(done):
        return [f"findings: {len(told)} rows in docs/contracts/findings.md, {len(done)} in src/model/finding_kinds.def"]
    return []


def anchors(text):
    """The anchors of a page's headings, as GitHub and MkDocs make them."""
    found = set()
    for heading in re.findall(r"^#+\s+(.*)$", FENCE.sub("", text), re.M):
        slug = re.sub(r"[^\w\- ]", "", re.sub(r"[`*]", "", heading).strip().lower())
        found.add(re.sub(r" ", "-", slug))
        found.add(re.sub(r"[ -]+", "-", slug))
    return found


def links(root):
    findings = []
    for path in sources(root, {".md"}):
        text = FENCE.sub("", (root / path).read_text())
        for target in LINK.findall(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, anchor = target.partition("#")
            page = (root / path.parent / name) if name else root / path
            if not page.exists():
                findings.append(f"{path}: link to {target}: there is no such file")
            elif path.parts[0] == "docs" and not page.resolve().is_relative_to((root / "docs").resolve()):
                findings.append(f"{path}: link to {target}: leaves docs/, so the site would lack it; name the file instead")
            elif anchor and page.suffix == ".md" and anchor not in anchors(page.read_text()):
                findings.append(f"{path}: link to {target}: no heading of that name")
    return findings


RULES = {rule.__name__: rule for rule in (length, spdx, marks, paths, findings, links)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("rules", nargs="*", metavar="RULE")
    args = parser.parse_args()
    unknown = [name for name in args.rules if name not in RULES]
    if unknown:
        parser.error(f"no rule {unknown[0]}; there are: {' '.join(RULES)}")
    names = args.rules or list(RULES)
    tree.report([line for name in names for line in RULES[name](args.root)], f"tree: {', '.join(names)} hold")


if __name__ == "__main__":
    main()
