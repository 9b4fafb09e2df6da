# SPDX-License-Identifier: Apache-2.0
"""A run of KernelGenBench, in its layout and made by hand, is judged again: its verdicts stand beside ours."""
import csv
import io
import json

import pytest
from conftest import FAST, expert, kgbench

RESULT = {"status": "passed", "total_tests": 12, "passed_tests": 12, "failed_tests": 0}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    theirs, ours = tmp_path_factory.mktemp("theirs"), tmp_path_factory.mktemp("ours") / "run"
    (theirs / "kernels").mkdir()
    (theirs / "kernels/vllm13__rms_norm.py").write_text(expert("vllm::rms_norm").read_text())
    (theirs / "kernels/cublas__cublasSdot_v2.py").write_text("def Sdot(:\n")
    (theirs / "results.json").write_text(json.dumps({"dataset": "KernelGenBench", "operators": {
        "rms_norm": RESULT, "cublasSdot_v2": RESULT}}))
    done = kgbench("run", "--contestant", f"dir:{theirs}", "--op", "vllm::rms_norm,cublas::Sdot", "--out", ours, *FAST)
    assert done.code == 0, done.err
    return ours, done.out


def test_the_table_has_both_verdicts_and_each_disagreement_with_its_evidence(run):
    _, table = run
    lines = {line.split()[0]: line for line in reversed(table.splitlines()) if line.strip()}  # of each word the first
    assert "recorded" in lines["operator"]
    assert "passed !" in lines["cublas::Sdot"] and "passed !" not in lines["vllm::rms_norm"]
    assert "verdicts recorded by another judge: 2, of these 1 disagree with ours" in table
    told = table[table.index("disagree with ours"):]
    assert "recorded  passed: 12 of 12 tests passed" in told
    assert "here      compile_error: " in told and "invalid syntax" in told


def test_json_and_csv_have_them_too(run):
    folder, _ = run
    rows = {e["op"]: e for e in json.loads(kgbench("report", folder, "--format", "json").out)["evaluations"]}
    assert rows["vllm::rms_norm"]["recorded"] == {"verdict": "passed", "evidence": "12 of 12 tests passed", "disagrees": False}
    assert rows["cublas::Sdot"]["recorded"]["disagrees"]
    table = {row["operator"]: row for row in csv.DictReader(io.StringIO(kgbench("report", folder, "--format", "csv").out))}
    assert [table[op]["recorded"] + table[op]["disagrees"] for op in ("vllm::rms_norm", "cublas::Sdot")] == ["passed0", "passed1"]


def test_a_folder_without_results_has_no_such_column(run, candidates):
    done = kgbench("run", "--contestant", f"dir:{candidates}", "--op", "aten::add", "--out", candidates / "run", *FAST)
    assert done.code == 0 and "recorded" not in done.out
    assert "recorded" not in kgbench("report", candidates / "run", "--format", "csv").out
