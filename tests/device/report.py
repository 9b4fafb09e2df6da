#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the proof suite on the virtual machine and prints how it agrees with the recorded hardware, as Markdown.

usage: . tools/env.sh; "$KGBENCH_PYTHON" tests/device/report.py [FAMILY...]
"""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "python" / "vm"), str(HERE.parents[1] / "python")]
import agreement  # noqa: E402
import cases  # noqa: E402
import suite  # noqa: E402
import vmlaunch  # noqa: E402


def on_the_machine(case, arguments):
    result = vmlaunch.launch(
        case.kernel,
        case.grid,
        *arguments,
        vm_options=case.machine_options,
        enable_fp_fusion=case.fused,
        **case.constants,
    )
    if result["findings"]:
        raise RuntimeError(f"{case.family} {case.name}: {result['findings'][0]['message']}")


def measured(family):
    """(case, agreement) of every case of the family."""
    recorded = agreement.read(family)
    return [
        (case, agreement.compare(case, recorded[case.name], suite.run(case, on_the_machine)))
        for case in cases.FAMILIES[family]
    ]


def row(family, found):
    near = [one.ulps for case, one in found if case.ulps > 0]
    return (
        family,
        len({case.body for case, _ in found}),
        len(found),
        sum(case.ulps == 0 for case, _ in found),
        sum(one.identical for _, one in found),
        f"{max(near):g}" if near else "-",
        f"{max(case.ulps for case, _ in found):g}" if near else "-",
    )


def main(families):
    vmlaunch.install()
    machine = agreement.machine()
    print("; ".join(f"{key} {value}" for key, value in machine.items()) + "\n")
    print(
        "| family | kernels | cases | exact class | bit-identical | largest ulps | allowed ulps |\n|---|---|---|---|---|---|---|"
    )
    everything = []
    for family in families or cases.FAMILIES:
        found = measured(family)
        everything += found
        print("| " + " | ".join(map(str, row(family, found))) + " |", flush=True)
    print("| " + " | ".join(map(str, row("all", everything))) + " |\n")
    for case, one in everything:
        if not agreement.holds(case, one):
            print(f"DIFFERS: {case.family} {case.name}: {one.ulps} ulps, {case.ulps} allowed: {one.message}")
    return 0 if all(agreement.holds(case, one) for case, one in everything) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
