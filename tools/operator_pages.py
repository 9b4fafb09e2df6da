#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A page for each operator: signatures, formula, workloads, error bound, what was measured, reference and expert.

Nothing of it is in the tree: `make docs` makes the pages (a hook of MkDocs), and

usage: tools/operator_pages.py --out DIR

writes them as Markdown.
"""
import argparse
import ast
import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BOUNDS = {
    "exact": "the right value rounded once to the output's type, bit for bit",
    "pointwise": "`ulps u(out) |e| + ulps u(acc) m`",
    "reduction": "`ulps u(out) |e| + (4 sqrt(n) + 4) u(acc) m`",
    "dot": "`ulps u(out) |e| + (4 sqrt(n) + 4) u(acc) m`, m = |A| |B|",
    "solve": "`ulps u(out) |e| + (4 sqrt(n) + 4) u(acc) m`, m = |T^-1| |T| |x|",
    "quantised": "the nearest code; a limited share of elements may be one code off",
    "sorted": "values exact; indices must address equal elements, none twice",
    "indices": "indices must address elements as good as the expected ones",
    "random": "no values: statistics, reproducibility and independence",
    "metadata": "no values: dtype, shape and strides",
}


def pages(root=ROOT):
    """{"operators/aten/softmax.md": text}, and an index of them all."""
    stored = root / "catalogue" / "measured.json"
    measured = json.loads(stored.read_text())["operators"] if stored.exists() else {}
    found, rows = {}, []
    for path in sorted((root / "catalogue" / "operators").glob("*/*/card.toml")):
        card, text = tomllib.loads(path.read_text()), path.read_text()
        place = f"operators/{path.parent.parent.name}/{path.parent.name}.md"
        found[place] = page(card, text, path.parent, measured.get(card["name"], {}))
        rows.append(f"| [{card['name']}]({place.removeprefix('operators/')}) | {card['family']} | {description(text)} |")
    head = "# Operators\n\n| operator | family | what it computes |\n|---|---|---|\n"
    found["operators/index.md"] = head + "\n".join(rows) + "\n"
    return found


def page(card, text, folder, measured):
    parts = [f"# {card['name']}", description(text), formula(folder), facts(card), signatures(card), bound(card, text),
             results(measured), workloads(card, text), code("Reference", folder / "reference.py"),
             code("Expert", folder / "expert.py")]
    return "\n\n".join(part for part in parts if part) + "\n"


def description(text):
    """The card's first comment: what the operator computes, in a sentence."""
    lines = []
    for line in text.splitlines()[1:]:
        if not line.startswith("#"):
            break
        lines.append(line.lstrip("# "))
    return " ".join(lines)


def formula(folder):
    """The reference says it in its first words."""
    said = ast.get_docstring(ast.parse((folder / "reference.py").read_text())) or ""
    return "> " + " ".join(said.split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*") if said else ""


def facts(card):
    rows = {"family": card["family"], "tags": ", ".join(card.get("tags", [])), "semantics from": card.get("source"),
            "no honest kernel": card.get("no_kernel"), "in doubt": card.get("doubt"),
            "the published test": card.get("published"), "thinned": "; ".join(thinned(card))}
    return "| | |\n|---|---|\n" + "\n".join(f"| {key} | {cell(value)} |" for key, value in rows.items() if value)


def thinned(card):
    """What of the published grid is not run, and why."""
    said = [card.get("thinned"), *(table.get("thinned") for table in card["workload"])]
    return list(dict.fromkeys(text for text in said if isinstance(text, str)))


def cell(value):
    return str(value).replace("|", "\\|").replace("\n", " ")


def signatures(card):
    lines = ["## Entries", "", "```"] + [entry["name"] + entry["schema"] for entry in card["entry"]] + ["```"]
    for entry in card["entry"]:
        more = [f"the reference call is `{entry['baseline']}`" if "baseline" in entry else "",
                f"host code may read {', '.join(entry['host'])}" if entry.get("host") else "",
                "strides must be exact" if entry.get("strides") == "exact" else "",
                f"not to be called: {', '.join(entry['forbid'])}" if entry.get("forbid") else ""]
        if any(more):
            lines += ["", f"- `{entry['name']}`: {'; '.join(m for m in more if m)}"]
    return "\n".join(lines)


def bound(card, text):
    """The bound's keys, with the derivation that stands above them on the card."""
    lines = ["## Error bound", "", f"Class `{card['error']['class']}`: {BOUNDS[card['error']['class']]}."]
    above = comment_above(text, "[error]")
    if above:
        lines += ["", above]
    lines += listed(card["error"])
    for entry in card["entry"]:
        if "error" in entry:
            own = {"class": card["error"]["class"], **entry["error"]}
            lines += ["", f"`{entry['name']}` has its own: class `{own['class']}`, {BOUNDS[own['class']]}.", *listed(own)]
    return "\n".join(lines)


def listed(model):
    """The keys of an error model but its class, one a line."""
    keys = [f"- `{key}` = `{value}`" for key, value in model.items() if key != "class"]
    return ["", *keys] if keys else []


def comment_above(text, heading):
    lines = text.splitlines()
    if heading not in lines:
        return ""
    found = []
    for line in reversed(lines[: lines.index(heading)]):
        if not line.startswith("#"):
            break
        found.insert(0, line.lstrip("# "))
    return " ".join(found).replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def results(measured):
    if not measured:
        return ""
    lines = ["## Measured"]
    if measured.get("dtypes"):
        lines += ["", "| dtype | expert's worst error / bound | smallest error found | by the published tolerance |",
                  "|---|---|---|---|"]
        lines += [f"| {dtype} | {ours} | {blank(caught)} | {blank(published)} |"
                  for dtype, (ours, caught, published) in measured["dtypes"].items()]
    if "mutants" in measured:
        lines += ["", f"Of {measured['mutants']} mutants of the expert {measured['found']} are found "
                  f"({measured['found_published']} by the published tolerance); {measured['equivalent']} more compute "
                  "the same."]
    if "holes" in measured:
        lines += ["", f"Fixture screen: {measured['holes'] or 'no'} holes."]
    moves = max(float(measured.get("moves", 0)), float(measured.get("moves_sensitive", 0)))
    if moves == float("inf"):
        excused = "; the card says why" if measured.get("moves_sensitive") == "inf" else ""
        lines += ["", f"One ulp of the inputs moves a right value out of its bound{excused}."]
    elif moves:
        lines += ["", f"One ulp of the inputs moves the right values by {moves:.2g} of the bound at most."]
    return "\n".join(lines)


def blank(value):
    return "-" if value is None else value


def workloads(card, text):
    """The card's own tables: they are short, and say why each is there."""
    first = min(text.index(mark) for mark in ("[[workload]]", "[[hidden]]") if mark in text)
    counts = f"{len(card['workload'])} tables of fixed workloads and {len(card.get('hidden', []))} of hidden ones"
    return f"## Workloads\n\n{counts}; lists multiply into a grid.\n\n```toml\n{text[first:].strip()}\n```"


def code(title, path):
    return f"## {title}\n\n```python\n{path.read_text().strip()}\n```"


def on_files(files, config):
    """MkDocs: adds the pages to the site as if they lay in docs/."""
    from mkdocs.structure.files import File

    for place, text in pages().items():
        files.append(File.generated(config, place, content=text))
    return files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    folder = parser.parse_args().out
    for place, text in pages().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text)


if __name__ == "__main__":
    main()
