#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stores what was measured of the catalogue in catalogue/measured.json, which `kgbench list --stats` and the operators'
pages show. Operators that the given files do not name keep what is stored of them.

usage: tools/store_measured.py [--tolerance FILE] [--mutate FILE] [--screen FILE] [--command TEXT]...

FILE is what `kgbench tolerance|mutate|screen --json` wrote; TEXT says how it was measured and replaces the stored lines.
"""
import argparse
import json
from pathlib import Path

STORED = Path(__file__).resolve().parent.parent / "catalogue" / "measured.json"
# Of a bound: beyond it a share says no more than infinity does.
OUT_OF_ANY_BOUND = 1e9


def tolerance(report):
    """{operator: worst headroom, smallest errors found, whether the published tolerance refuses a right answer}."""
    found = {}
    for row in report["rows"]:
        one = found.setdefault(row["op"], {"headroom": 0, "refused_published": 0, "dtypes": {}})
        if not row["exact"] and not row["integral"]:
            one["headroom"] = round(max(one["headroom"], row["model"]["headroom"]), 4)
        ours, theirs = row["model"].get("caught"), row["published"].get("caught")
        if not row["integral"]:
            one["dtypes"][row["dtype"]] = [rounded(row["model"]["headroom"]), rounded(ours), rounded(theirs)]
        wrong = row["published"]["headroom"] == "inf" or row["published"]["headroom"] > 1
        one["refused_published"] = int(one["refused_published"] or wrong)
        for key, value in (("caught", ours), ("caught_published", theirs)):
            if value is not None:
                one[key] = rounded(min(value, one.get(key, value)))
    return found


def rounded(value):
    """Three digits are more than was measured."""
    return value if value is None or isinstance(value, str) else float(f"{value:.3g}")


def mutate(report):
    return {row["op"]: {"mutants": row["judged"], "found": row["killed"], "found_published": row["killed_published"],
                        "equivalent": sum("equivalent" in m for m in row["mutants"])}
            for row in report["operators"] if any(m["verdict"] != "infra" for m in row["mutants"])}


def screen(report):
    found = {}
    for row in report["rows"]:
        one = found.setdefault(row["op"], {"holes": 0})
        moves = row["moves"] or {"share": 0, "unstable": [], "sensitive": None}
        moved_out = bool(moves["unstable"]) and moves["sensitive"] is None
        one["holes"] += len(row["holes"]) + bool(row["right_refused"]) + moved_out
        if row["moves"]:
            key = "moves_sensitive" if moves["sensitive"] else "moves"
            share = max(float(moves["share"]), float(one.get(key, 0)))
            one[key] = rounded(share) if share < OUT_OF_ANY_BOUND else "inf"
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    readers = {"tolerance": tolerance, "mutate": mutate, "screen": screen}
    for name in readers:
        parser.add_argument(f"--{name}", type=Path)
    parser.add_argument("--command", action="append", default=[])
    options = vars(parser.parse_args())
    stored = json.loads(STORED.read_text()) if STORED.exists() else {"commands": [], "operators": {}}
    for name, read in readers.items():
        if options[name]:
            for op, result in read(json.loads(options[name].read_text())).items():
                stored["operators"].setdefault(op, {}).update(result)
    if options["command"]:
        stored["commands"] = options["command"]
    rows = [f"  {json.dumps(op)}: {json.dumps(stored['operators'][op])}" for op in sorted(stored["operators"])]
    STORED.write_text(f'{{"commands": {json.dumps(stored["commands"], indent=1)},\n"operators": {{\n'
                      + ",\n".join(rows) + "\n}}\n")


if __name__ == "__main__":
    main()
