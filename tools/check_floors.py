#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that runs up a floor of docs/design.md, or that the module's row in CMakeLists.txt lacks.

usage: tools/check_floors.py [--root DIR]
"""
import argparse
import re
from pathlib import Path

import tree

INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/', re.M)


def floors(design):
    """Module -> floor, from the rows of the Layout table: | 3 | `src/vm/` | ... |."""
    found = {}
    for row in re.finditer(r"^\|\s*(\d+)\s*\|([^|]*)\|", design, re.M):
        for module in re.findall(r"`src/([a-z_]+)/?`", row.group(2)):
            found[module] = int(row.group(1))
    return found


def declared(cmake):
    """Module -> every module it may include by its kgb_module row, dependencies of dependencies included."""
    direct = {}
    for row in re.finditer(r"^kgb_module\((\w+)([^)]*)\)", cmake, re.M):
        words = row.group(2).split()
        direct[row.group(1)] = set(words[words.index("DEPS") + 1:]) if "DEPS" in words else set()

    def reach(module):
        return direct.get(module, set()).union(*(reach(dep) for dep in direct.get(module, ())))

    return {module: reach(module) for module in direct}


def check(root):
    floor = floors((root / "docs/design.md").read_text())
    may = declared((root / "CMakeLists.txt").read_text())
    if not floor or not may:
        return ["docs/design.md: no table of floors, or CMakeLists.txt: no kgb_module rows"]
    findings = []
    for module, deps in sorted(may.items()):
        if module not in floor:
            findings.append(f"CMakeLists.txt: module {module} stands on no floor of docs/design.md")
        findings += [f"CMakeLists.txt: {module} (floor {floor[module]}) depends on {dep} (floor {floor[dep]}): runs up"
                     for dep in sorted(deps) if module in floor and dep in floor and floor[dep] >= floor[module]]
    for path in tree.files(root):
        if path.parts[0] != "src" or path.suffix not in {".cpp", ".hpp", ".S", ".def"}:
            continue
        module = path.parts[1]
        if module not in may:
            findings.append(f"{path}: module {module} has no kgb_module row in CMakeLists.txt")
            continue
        for number, line in enumerate((root / path).read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            target = match.group(1) if match else module
            if target == module or target not in floor:
                continue
            if floor[target] >= floor.get(module, 0):
                findings.append(f"{path}:{number}: {module} (floor {floor.get(module)}) includes {target} "
                                f"(floor {floor[target]}): an include may only run down; move the code or pass a value")
            elif target not in may[module]:
                findings.append(f"{path}:{number}: includes {target}, which the row kgb_module({module} ...) of "
                                "CMakeLists.txt does not list")
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    tree.report(check(parser.parse_args().root), "floors: every include runs down")


if __name__ == "__main__":
    main()
