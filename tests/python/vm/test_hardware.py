# SPDX-License-Identifier: Apache-2.0
"""The proof suite of tests/device on the machine against what an H200 gave, and the table of it in docs/vm.md."""

import re
import sys
from pathlib import Path

import pytest
import vmlaunch

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "device"))
import agreement  # noqa: E402
import cases  # noqa: E402
import suite  # noqa: E402

RECORDED = {family: agreement.read(family) for family in cases.FAMILIES}


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: f"{case.family}-{case.name}")
def test_the_machine_agrees_with_the_hardware(case):
    result = suite.run(case, on_the_machine)
    found = agreement.compare(case, RECORDED[case.family][case.name], result)
    assert agreement.holds(case, found), f"{found.ulps} ulps, {case.ulps} are allowed: {found.message}"


def on_the_machine(case, arguments):
    result = vmlaunch.launch(
        case.kernel,
        case.grid,
        *arguments,
        vm_options=case.machine_options,
        enable_fp_fusion=case.fused,
        **case.constants,
    )
    assert result["findings"] == [], result["findings"]


def test_every_recording_has_its_case():
    for family, made in cases.FAMILIES.items():
        assert set(RECORDED[family]) == {case.name for case in made}, f"{family}: record again (make device-proof)"


def test_names_are_unique_and_kernels_many():
    assert len({(case.family, case.name) for case in cases.CASES}) == len(cases.CASES)
    assert len({case.body for case in cases.CASES}) >= 150


def test_the_manual_states_what_is_proved():
    page = (ROOT / "docs" / "vm.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \| ([\d-]+) \|", page, re.M)
    wanted = [tuple(map(str, row)) for row in agreement.stated(cases.FAMILIES)]
    assert stated == wanted, "docs/vm.md, table of the proof suite; it should hold:\n" + "\n".join(
        f"| `{row[0]}` | {' | '.join(row[1:])} |" for row in wanted
    )


def test_a_wrong_bit_is_found():
    """The comparison can fail: one bit of one kept element, and one beside them."""
    case = next(case for case in cases.FAMILIES["integer"] if case.name == "add.i32")
    inputs, outputs = suite.run(case, on_the_machine)
    for place in (0, 1):
        ((name, (dtype, words)),) = outputs.items()
        changed = words.copy()
        changed[place] ^= 1
        found = agreement.compare(case, RECORDED["integer"]["add.i32"], (inputs, {name: (dtype, changed)}))
        assert not agreement.holds(case, found) and found.message
    assert "other inputs" in agreement.compare(case, RECORDED["integer"]["add.i32"], (inputs[:1], outputs)).message
