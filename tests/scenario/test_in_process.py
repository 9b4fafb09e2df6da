# SPDX-License-Identifier: Apache-2.0
"""In-process mode from the command line, on the driver's stand-in: torch has no device there, so that tensors of the host
and Triton's interpreter take its place; all around them (lock, values, comparison, census, verdict) is as on a GPU."""

import json
import os
import sqlite3

import pytest
from conftest import HOME, expert, kgbench

STANDIN = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"]}
NO_DEVICE = {**os.environ, "KGBENCH_CUDA_LIBRARY": "libcuda-none.so"}
CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin", "--target", "none"]
OPTIONS = ["--in-process", "--no-time", "--tier", "smoke", "--seed", "5eed", *CHIP]

NEG = """
import torch
import triton
import triton.language as tl


@triton.jit
def neg_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, SIGNtl.load(x + at, mask=at < n), mask=at < n)


def run(x, out):
    flat = x.contiguous().view(-1)
    work = torch.empty_like(flat)
    if flat.numel():
        neg_kernel[(triton.cdiv(flat.numel(), 4096),)](flat, work, flat.numel(), BLOCK=4096)
    return out.copy_(work.view(x.shape))


def neg(self):
    return run(self, torch.empty_like(self))


def neg_out(self, *, out):
    return run(self, out)
"""
OWN, WRONG = NEG.replace("SIGN", "-"), NEG.replace("SIGN", "")
THROUGH_TORCH = """
import torch


def neg(self):
    return torch.neg(self)


def neg_out(self, *, out):
    return torch.neg(self, out=out)
"""
LOOKS = """
import socket


def neg(self):
    for path in ("/root", "/home", "CATALOGUE"):
        try:
            import os
            raise AssertionError(f"could list {path}: {os.listdir(path)}")
        except PermissionError:
            pass
    try:
        socket.socket()
    except PermissionError:
        raise ValueError("locked")


neg_out = neg
""".replace("CATALOGUE", str(HOME / "catalogue" / "operators"))


def judge(tmp_path, text, *options):
    file = tmp_path / "mine.py"
    file.write_text(text)
    done = kgbench("judge", file, "--op", "aten::neg", "--json", *OPTIONS, *options, env=STANDIN)
    assert done.code in (0, 1), done.err
    return json.loads(done.out)


def test_a_kernel_of_one_s_own_passes_and_the_census_names_it(tmp_path):
    evaluation = judge(tmp_path, OWN, "--only", "s3")  # what the interpreter makes of bf16 and of -0 is not Triton's
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["mode"] == "in-process"
    rows = {row["name"]: row for row in evaluation["census"]}
    assert rows["neg_kernel"]["file"] == str(tmp_path / "mine.py") and rows["neg_kernel"]["library"] == ""


def test_a_wrong_value_is_found(tmp_path):
    evaluation = judge(tmp_path, WRONG)
    assert evaluation["verdict"] == "wrong_value"
    assert evaluation["findings"][0]["kind"] == "value_mismatch"


def test_computing_through_torch_is_not_custom_and_its_values_are_looked_at_all_the_same(tmp_path):
    evaluation = judge(tmp_path, THROUGH_TORCH)
    assert evaluation["verdict"] == "not_custom"
    kinds = {finding["kind"] for finding in evaluation["findings"]}
    assert kinds == {"library_kernel"}, "the values are right"
    first = evaluation["findings"][0]
    assert first["details"]["library"] == "ATen" and float(first["details"]["share"]) > 0.5
    assert "of ATen" in first["message"]


def test_the_candidate_is_locked_in(tmp_path):
    finding = judge(tmp_path, LOOKS)["findings"][0]
    assert (finding["kind"], finding["message"]) == ("host_exception", "ValueError: locked")


def test_the_death_of_the_process_is_the_candidate_s(tmp_path):
    evaluation = judge(tmp_path, "import os\n\n\ndef neg(self):\n    os._exit(3)\n\n\nneg_out = neg\n", "--only", "s0")
    assert evaluation["verdict"] == "runtime_error"
    assert evaluation["findings"][0]["kind"] == "exited"


def test_a_random_operator_is_left_to_plans(tmp_path):
    done = kgbench("judge", expert("aten::bernoulli"), "--op", "aten::bernoulli", "--json", *OPTIONS, env=STANDIN)
    evaluation = json.loads(done.out)
    assert evaluation["verdict"] == "unsupported"
    assert evaluation["findings"][0]["kind"] == "not_in_process"


@pytest.mark.parametrize("options, says", [
    (["--in-process"], "there is none here"), (["--against", "torch"], "there is none here"),
    (["--timing", "published"], "only --in-process can")])
def test_without_a_device_the_options_are_a_mistake(options, says):
    done = kgbench("judge", expert("aten::neg"), "--op", "aten::neg", *options, env=NO_DEVICE)
    assert done.code == 2 and done.err.count("\n") == 1
    assert says in done.err


def test_two_baselines_are_one_too_many(tmp_path):
    done = kgbench("judge", expert("aten::neg"), "--op", "aten::neg", "--baseline", expert("aten::neg"), "--against", "torch",
                   *CHIP, env=STANDIN)
    assert done.code == 2 and "name one" in done.err


def test_a_run_keeps_its_mode(tmp_path):
    (tmp_path / "c" / "aten").mkdir(parents=True)
    (tmp_path / "c" / "aten" / "neg.py").write_text(THROUGH_TORCH)
    done = kgbench("run", "--contestant", f"dir:{tmp_path / 'c'}", "--op", "aten::neg", "--out", tmp_path / "run", *OPTIONS,
                   "--against", "torch.compile", env=STANDIN)
    assert done.code == 0, done.err
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as store:
        assert store.execute("SELECT mode, against, timing FROM run").fetchall() == [("in-process", "torch.compile", "")]
        assert store.execute("SELECT verdict FROM evaluation").fetchall() == [("not_custom",)]
    done = kgbench("run", "--resume", tmp_path / "run", "--against", "torch", *CHIP, env=STANDIN)
    assert done.code == 2 and "with --against torch.compile" in done.err
