# SPDX-License-Identifier: Apache-2.0
"""A card may ask for workloads on which the machine takes f32 denormals for zeros, as a GPU does."""
import json

import pytest
from conftest import FAST, expert, judged_together, kgbench

GUARD = "tl.where(a < 0, tl.minimum(result, -1.0), result)"


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory):
    source = expert("aten::floor").read_text()
    assert GUARD in source
    file = tmp_path_factory.mktemp("floor") / "unguarded.py"
    file.write_text(source.replace(GUARD, "result"))
    return judged_together({"guarded": ("aten::floor", expert("aten::floor")), "unguarded": ("aten::floor", file)}, *FAST)


def test_a_kernel_that_is_right_on_devices_that_flush_passes(evaluations):
    assert evaluations["guarded"]["verdict"] == "pass", evaluations["guarded"]["findings"][:2]


def test_a_kernel_that_a_flushing_device_would_break_is_wrong_there_alone(evaluations):
    assert evaluations["unguarded"]["verdict"] == "wrong_value"
    shown = json.loads(kgbench("show", "floor", "--json").out)
    flushing = {one["id"] for one in shown["fixed_workloads"] if one["flush"]}
    wrong = {finding["workload"] for finding in evaluations["unguarded"]["findings"] if finding["workload"]}
    assert wrong and wrong <= flushing


def test_people_see_which_workloads_those_are():
    lines = [line for line in kgbench("show", "floor", "--all").out.splitlines() if line.endswith("(denormals flushed)")]
    assert len(lines) == 4
