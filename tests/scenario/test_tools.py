# SPDX-License-Identifier: Apache-2.0
"""list, show, new and plan: what a person reads before writing a kernel."""
import json

import pytest
from conftest import expert, kgbench

OPERATORS = [entry["name"] for entry in json.loads(kgbench("list", "--json").out)]
TABLE = kgbench("list").out


def test_list_has_a_line_for_every_operator():
    assert len(OPERATORS) >= 30
    for op in OPERATORS:
        assert sum(line.split()[:1] == [op] for line in TABLE.splitlines()) == 1


def test_list_narrows_to_a_source():
    lines = kgbench("list", "--suite", "vllm").out.splitlines()
    assert any(line.startswith("vllm::rms_norm") for line in lines)
    assert not any(line.startswith("aten::") for line in lines)


@pytest.mark.parametrize("op", OPERATORS)
def test_show_names_every_entry(op):
    done = kgbench("show", op)
    assert done.code == 0 and op in done.out
    for entry in json.loads(kgbench("show", op, "--json").out)["entries"]:
        assert entry["name"] in done.out


@pytest.mark.parametrize("op", ["aten::softmax", "vllm::rms_norm", "aten::add_", "cublas::Sdot"])
def test_a_stub_compiles_and_can_be_recorded(op, tmp_path):
    """A stub is not right yet, but its host code runs: the kernel is all that is left to write."""
    file = tmp_path / "mine.py"
    written = kgbench("new", op, "--out", file)
    assert written.code == 0
    assert written.out == f"{file} written. Fill in the kernel, then: kgbench judge {file} --op {op}\n"
    plan = kgbench("plan", file, "--op", op)
    assert plan.code == 0, plan.out
    assert "host_exception" not in plan.out


def test_a_plan_shows_buffers_launches_and_places():
    file = expert("vllm::rms_norm")
    done = kgbench("plan", file, "--op", "rms_norm", "--only", "s3")
    assert done.code == 0
    assert "rms_norm_kernel" in done.out and "input" in done.out
    ttir = kgbench("plan", file, "--op", "rms_norm", "--only", "s3", "--ttir")
    assert "tt.func" in ttir.out and "tt.func" not in done.out


def test_a_plan_as_json_is_one_recording_a_line():
    done = kgbench("plan", expert("vllm::rms_norm"), "--op", "rms_norm", "--json")
    recordings = [json.loads(line) for line in done.out.splitlines()]
    assert len(recordings) > 10
    for recording in recordings:
        assert len(recording["calls"]) == 3 and recording["target"] == "h200"


def test_a_plan_names_what_the_policy_refuses(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("import torch\n\n\ndef rms_norm(out, input, weight, epsilon):\n    out.copy_(input * weight)\n")
    done = kgbench("plan", file, "--op", "rms_norm", "--only", "s0")
    assert "torch_compute" in done.out or "computes with torch" in done.out
