# SPDX-License-Identifier: Apache-2.0
"""Prints what a library's run gave as Markdown: operator, verdict, reason, and whose fault it is.

    python tools/library_table.py LIBRARY RUN... > bench/results/DATE-LIBRARY.md

The causes come from docs/findings.md: below the heading of the library, the rows `| cause | whose | operators | kinds |`
say which operators each explains, and for which kinds of findings. Several runs of the same operators (smoke, hidden)
are put together; the first that does not pass gives the verdict. Exit status 1, and the list of them on standard
error, when a finding has no cause: nothing may stay unexplained.
"""
import argparse
import collections
import json
import pathlib
import re
import sqlite3
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ABSENT = "not_in_library"
Cause = collections.namedtuple("Cause", "name whose operators kinds")


def causes_of(library):
    """The rows of the library's table of causes."""
    text = (ROOT / "docs" / "findings.md").read_text()
    part = re.search(rf"^## `?{re.escape(library)}`?.*?(?=^## |\Z)", text, re.M | re.S)
    if part is None:
        raise SystemExit(f"error: docs/findings.md has no heading for {library}")
    causes = []
    for row in re.findall(r"^\| (\w+) \| (theirs|ours|nobody's) \| ([^|]*) \| ([^|]*) \|", part.group(0), re.M):
        operators, kinds = ([word.strip(" `") for word in cell.split(",")] for cell in row[2:])
        causes.append(Cause(row[0], row[1], operators, kinds))
    return causes


def evaluations_of(runs):
    """{operator: [evaluation, ...]} of all runs, and the runs' own rows."""
    found, rows = collections.defaultdict(list), []
    for run in runs:
        store = sqlite3.connect(f"file:{run / 'run.sqlite'}?mode=ro", uri=True)
        store.row_factory = sqlite3.Row
        rows.append(dict(store.execute("SELECT * FROM run").fetchone()))
        for op, text in store.execute("SELECT i.op, e.json FROM item i JOIN evaluation e ON e.item = i.id"):
            found[op].append(json.loads(text))
    return found, rows


def kinds_of(evaluations):
    """{kind: the first finding of it}, those that lead to a verdict only; the deciding one comes first."""
    kinds = {}
    for evaluation in evaluations:
        for finding in evaluation["findings"] if evaluation["verdict"] != "pass" else ():
            if finding["kind"] not in ("self_benchmark", "target_failure", "target_limit", "output_flood"):
                kinds.setdefault(finding["kind"], finding)
    return kinds


def one_line(finding):
    lines = [line for line in finding["message"].splitlines() if line.strip()] or [""]
    text = " ".join((lines[-1] if finding["kind"] == "frontend_error" else " ".join(lines)).split())
    library = finding["line"] and not finding["file"].startswith(("/", "."))  # not its generated code, nor our call
    place = f" ({finding['file']}:{finding['line']})" if library else ""
    return (text if len(text) <= 110 else text[:107] + "...").replace("|", "\\|") + place


def row_of(op, evaluations, causes, unexplained):
    kinds = kinds_of(evaluations)
    absent = kinds.pop(ABSENT, None)
    workloads = [w for e in evaluations for w in e["workloads"] if w["verdict"] != "unsupported" or kinds]
    passed = f"{sum(w['verdict'] == 'pass' for w in workloads)}/{len(workloads)}"
    if not kinds:
        return "pass" if absent is None else "pass of what it has", passed, one_line(absent) if absent else "", ""
    names, whose = [], []
    for kind in kinds:
        matches = [c for c in causes if op in c.operators and kind in c.kinds]
        if not matches:
            unexplained.append(f"{op}: {kind}: {one_line(kinds[kind])}")
        names += [c.name for c in matches]
        whose += [c.whose for c in matches]
    verdict = next(e["verdict"] for e in evaluations if e["verdict"] != "pass")
    return verdict, passed, f"{one_line(next(iter(kinds.values())))} [{', '.join(dict.fromkeys(names))}]", ", ".join(dict.fromkeys(whose))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("runs", nargs="+", type=pathlib.Path, help="folders of runs")
    options = parser.parse_args()
    causes, unexplained = causes_of(options.library), []
    found, runs = evaluations_of(options.runs)
    rows, lacking = [], []
    for op in sorted(found):
        if all(e["workloads"] and all(w["verdict"] == "unsupported" for w in e["workloads"]) for e in found[op]) and \
                set(kinds_of(found[op])) == {ABSENT}:
            lacking.append(op)
        else:
            rows.append((op, *row_of(op, found[op], causes, unexplained)))
    facts = json.loads(runs[0]["host"])
    print(f"# {facts.get('library', options.library)}\n\nMade by `tools/library_table.py` from:\n")
    for run in runs:
        print(f"- `kgbench run --contestant {run['contestant']} --suite {run['suite']} --tier {run['tiers']} --target "
              f"{run['targets'] or 'none'} --seed {run['seed'].lstrip('0')}`, kgbench {run['version']}, "
              f"{run['created']} to {run['finished']}")
    counts = collections.Counter(row[1] for row in rows)
    passed, judged = (sum(int(row[2].split("/")[side]) for row in rows) for side in (0, 1))
    print(f"- on the virtual machine, {facts['processors']} cores of {facts.get('processor', 'an unknown processor')}\n")
    print(f"{len(rows)} operators, of which " + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()) +
          f"; {passed} of their {judged} workloads pass. {len(lacking)} more operators are not in it. The causes in "
          "brackets: docs/findings.md.\n")
    print("| operator | verdict | workloads | reason | whose |\n|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(f"\nNot in it: {', '.join(lacking) or 'none'}.")
    for line in unexplained:
        print(f"unexplained: {line}", file=sys.stderr)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
