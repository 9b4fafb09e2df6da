# SPDX-License-Identifier: Apache-2.0
"""The vendor's own functions as baselines, on the stand-ins of the driver and of cuBLAS: from the card to the ratio."""

import json
import os
import shutil
import subprocess

import pytest
from conftest import BINARY, HOME, expert, kgbench

STANDIN = os.environ["KGBENCH_STANDIN"]
PROBE = os.path.join(os.path.dirname(BINARY), "..", "tests", "vendor_probe")
# What the stand-in has: factors of every type, results on the device, arrays of addresses, strides, 64-bit integers,
# element types as arguments, triangles.
THERE = ["Sscal", "Sdot", "Sgemm", "Cgemm", "SgemmEx", "SgemmStridedBatched", "HgemmBatched", "CgemvBatched_64", "Strsm"]


def environment(library=STANDIN):
    return {**os.environ, "KGBENCH_CUDA_LIBRARY": STANDIN, "KGBENCH_CUBLAS_LIBRARY": library}


def judge(file, op, catalogue=HOME / "tests" / "standin" / "catalogue", library=STANDIN):
    done = kgbench("judge", file, "--op", op, "--tier", "smoke", "--seed", "5eed", "--json", "--catalogue", catalogue,
                   "--chip", "standin", "--target", "none", env=environment(library))
    assert done.code in (0, 1), done.err
    return json.loads(done.out)


@pytest.mark.parametrize("op", ["cublas::Sdot", "cublas::HgemmBatched"])
def test_an_expert_is_timed_against_the_library_by_name(op):
    evaluation = judge(expert(op), op)
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["timings"]
    for timing in evaluation["timings"]:
        assert timing["baseline_name"] == "cuBLAS 13.7", timing
        assert timing["baseline"] > 0 and timing["ratio_low"] <= timing["ratio"] <= timing["ratio_high"]


def reasons(evaluation):
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["timings"]
    for timing in evaluation["timings"]:
        assert timing["call"] == "cannot tell" and "ratio" not in timing, timing
        assert timing["candidate"] > 0
        yield timing["why"]


def test_a_library_that_is_not_there_gives_a_reason_and_no_ratio():
    for why in reasons(judge(expert("cublas::Sdot"), "cublas::Sdot", library="/nowhere/libcublas.so.13")):
        assert "cublasSdot_v2 cannot be timed: cuBLAS cannot be opened: /nowhere/libcublas.so.13" in why


def test_a_function_that_the_library_lacks_gives_a_reason_and_no_ratio():
    for why in reasons(judge(expert("cublas::Dasum"), "cublas::Dasum")):
        assert "cuBLAS 13.7 has no cublasDasum_v2" in why


def test_a_function_that_computes_something_else_is_no_baseline(tmp_path):
    catalogue = tmp_path / "catalogue"
    shutil.copytree(HOME / "tests" / "standin" / "catalogue", catalogue)
    folder = catalogue / "mine" / "Sscal"
    folder.mkdir(parents=True)
    for name, old, new in (("card.toml", "cublas::Sscal", "mine::Sscal"), ("reference.py", "= alpha * x[at]", "= 2 * alpha * x[at]"),
                           ("expert.py", "value * ", "2 * value * ")):
        text = (HOME / "catalogue" / "operators" / "cublas" / "Sscal" / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
    for why in reasons(judge(folder / "expert.py", "mine::Sscal", catalogue)):
        assert why.startswith("the baseline cuBLAS 13.7 is wrong: value_mismatch: x[")


def test_the_card_names_the_function_to_people_and_programs():
    assert "cublasSgemm_v2, with its handle in front" in kgbench("show", "cublas::Sgemm").out
    assert json.loads(kgbench("show", "cublas::Sgemm", "--json").out)["entries"][0]["vendor"] == "cublasSgemm_v2"


def test_every_smoke_workload_of_what_the_library_has_agrees_with_the_reference():
    done = subprocess.run([PROBE, *(f"cublas::{name}" for name in [*THERE, "Csymm"])], capture_output=True, text=True,
                          timeout=300, env=environment())
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        if line["op"] == "cublas::Csymm":
            assert line["status"] == "refused" and "has no cublasCsymm_v2" in line["message"]
        elif not line["edge"]:
            assert line["status"] == "right", line
    assert {line["op"] for line in lines} == {f"cublas::{name}" for name in [*THERE, "Csymm"]}
