# SPDX-License-Identifier: Apache-2.0
"""Judging on a device, from the command line, on the driver's stand-in: plans, images, timing, faults."""

import json
import os

import pytest
from conftest import HOME, expert, kgbench

STANDIN = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"]}
CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin", "--target", "none"]


def judge(file, op, *options):
    done = kgbench("judge", file, "--op", op, "--tier", "smoke", "--seed", "5eed", "--json", *CHIP, *options, env=STANDIN)
    assert done.code in (0, 1), done.err
    return json.loads(done.out)


@pytest.mark.parametrize("op", ["aten::add_", "aten::softmax", "cublas::HgemmBatched", "aten::bernoulli"])
def test_an_expert_passes_on_the_device_and_is_timed(op):
    evaluation = judge(expert(op), op)
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["chip"] == "standin"
    assert evaluation["timings"]
    for timing in evaluation["timings"]:
        # There is no GPU for the baseline: the time stands alone, and the reason with it.
        assert timing["candidate"] > 0
        assert timing["call"] == "cannot tell" and timing["why"]


RMS_NORM = expert("vllm::rms_norm").read_text()


def spoiled(tmp_path, old, new):
    """The expert of vllm::rms_norm with one mistake."""
    assert old in RMS_NORM
    file = tmp_path / "mine.py"
    file.write_text(RMS_NORM.replace(old, new))
    return file


def test_a_wrong_kernel_is_wrong_there_too(tmp_path):
    evaluation = judge(spoiled(tmp_path, "tl.rsqrt(", "1.01 * tl.rsqrt("), "vllm::rms_norm")
    assert evaluation["verdict"] == "wrong_value"
    assert not evaluation["timings"], "only what passed is timed"


def test_a_stray_access_is_kept_off_the_device(tmp_path):
    evaluation = judge(spoiled(tmp_path, "mask=inside, other=0", "other=None"), "vllm::rms_norm")
    assert evaluation["verdict"] == "runtime_error"
    assert evaluation["findings"][0]["kind"] == "out_of_bounds", "the VM saw it first"


@pytest.mark.parametrize("profile", ["careful", "quick"])
def test_so_is_one_of_a_kernel_that_draws_numbers(profile, tmp_path):
    file, text = tmp_path / "mine.py", expert("aten::bernoulli").read_text()
    stray = text.replace("prob_strides), mask=inside, other=0)", "prob_strides) + numel)")
    assert stray != text
    file.write_text(stray)
    evaluation = judge(file, "aten::bernoulli", "--profile", profile)
    assert evaluation["verdict"] == "runtime_error"
    assert evaluation["findings"][0]["kind"] == "out_of_bounds" and evaluation["findings"][0]["details"]["argument"] == "self"


def test_a_kernel_that_never_ends_is_told_by_its_executor_and_the_next_workload_has_another(tmp_path):
    """Freeing behind it would wait for it. So the judge hears of it when the limit has passed, and not when the grace
    that every process has is over, too."""
    loop = spoiled(tmp_path, "    eps = tl.full([ROWS], epsilon, tl.float32)",
                   "    turn = 1\n    while turn > 0:\n        turn = turn % 7 + 1\n"
                   "    eps = tl.full([ROWS], epsilon, tl.float32) + turn")
    evaluation = judge(loop, "vllm::rms_norm", "--trial-limit", "4")
    assert evaluation["verdict"] == "timeout", evaluation["findings"]
    late = [finding for finding in evaluation["findings"] if finding["kind"] == "deadline"]
    assert late and "the device was still at work" in late[0]["message"]


@pytest.mark.parametrize("chip, says", [
    ("nvidia", "libcuda"), ("h200", "libcuda"), ("standin", "libcuda"), ("h2000", "libcuda")])
def test_a_chip_that_is_not_there_is_a_line(chip, says, tmp_path):
    environment = {**os.environ, "KGBENCH_CUDA_LIBRARY": "libcuda-none.so"}
    done = kgbench("judge", expert("aten::add"), "--op", "aten::add", "--chip", chip, env=environment)
    assert done.code == 2
    assert says in done.err and done.err.count("\n") == 1


def test_auto_takes_the_device_where_there_is_one_and_the_machine_elsewhere(tmp_path):
    for environment, chip in ((STANDIN, "standin"), ({**os.environ, "KGBENCH_CUDA_LIBRARY": "none.so"}, "cpu")):
        done = kgbench("run", "--contestant", f"dir:{tmp_path / 'c'}", "--suite", "demo", *CHIP[:2], "--target", "none",
                       "--out", tmp_path / chip, env=environment)
        assert done.code == 2 and "c" in done.err, "an empty folder is refused before anything starts"
        folder = tmp_path / "c" / "aten"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cat.py").write_text("x = 1\n")
        done = kgbench("run", "--contestant", f"dir:{tmp_path / 'c'}", "--suite", "demo", *CHIP[:2], "--target", "none",
                       "--out", tmp_path / chip, env=environment)
        assert f"chip {chip}" in done.err
        (folder / "cat.py").unlink()
        folder.rmdir()
        folder.parent.rmdir()
