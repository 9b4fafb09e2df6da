# SPDX-License-Identifier: Apache-2.0
"""In-process mode, the baselines and the do_bench column on a real GPU. `make test-gpu` on a machine with a GPU."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "catalogue" / "operators"

pytestmark = pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")

SPEC = ["--workload-spec", "self=f32[512,512] mat2=f32[512,512]"]
MM = """
import torch


def mm(self, mat2):
    return torch.mm(self, mat2)


def mm_out(self, mat2, *, out):
    return torch.mm(self, mat2, out=out)


def mm_dtype(self, mat2, out_dtype):
    return torch.mm(self, mat2, out_dtype=out_dtype)


mm_dtype_out = mm_dtype
"""
COMPILED = """
import torch


@torch.compile
def add(a, b, alpha):
    return a + alpha * b


def add_Tensor(self, other, *, alpha=1):
    return add(self, other, alpha)


add_Scalar = add_out = add_Tensor
"""
KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def neg_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * -1.0, mask=at < n)  # 0 - x would lose the sign of zero


def neg(self):
    BEFORE
    out = torch.empty_like(self)
    neg_kernel[(triton.cdiv(self.numel(), 1024),)](self, out, self.numel(), BLOCK=1024)
    AFTER
    return out


neg_out = neg
"""
NEG = ["--workload-spec", "self=f32[4096,4096]"]
SIDE = """
    side = torch.cuda.Stream()
    late = torch.empty(1 << 28, device='cuda')
    with torch.cuda.stream(side):
        for _ in range(20):
            late.fill_(1)
""".strip()


def judge(tmp_path, text, op, *options):
    file = tmp_path / "mine.py"
    file.write_text(text)
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "judge", file, "--op", op, "--chip", "nvidia", "--target", "none",
                           "--json", *options], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "KGBENCH_HOME": str(ROOT)})
    assert done.returncode in (0, 1), done.stdout + done.stderr
    evaluation = json.loads(done.stdout)
    print(evaluation["verdict"], *(f["message"] for f in evaluation["findings"][:8]), sep="\n")
    return evaluation


def kinds(evaluation):
    return {finding["kind"] for finding in evaluation["findings"]}


def neg(before="", after=""):
    return KERNEL.replace("BEFORE", before).replace("AFTER", after)


def test_a_kernel_of_one_s_own_passes_and_is_timed_beside_do_bench(tmp_path):
    evaluation = judge(tmp_path, neg(), "aten::neg", "--in-process", "--timing", "published", *NEG)
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert {row["name"] for row in evaluation["census"] if row["kind"] == "kernel"} == {"neg_kernel"}
    timing, = evaluation["timings"]
    assert timing["baseline_name"] == "torch" and 0.5 < timing["ratio"] < 2 and "span" not in timing, timing
    assert 1e-5 < timing["candidate"] < 1e-3
    assert timing["published"]["candidate"] > 0 and timing["published"]["baseline"] > 0, timing


def test_its_time_is_that_of_its_plan(tmp_path):
    plan = judge(tmp_path, neg(), "aten::neg", *NEG)["timings"][0]["candidate"]
    called = judge(tmp_path, neg(), "aten::neg", "--in-process", *NEG)["timings"][0]["candidate"]
    assert abs(called / plan - 1) < 0.05, (plan, called)


def test_cublas_through_torch_is_found_with_its_share(tmp_path):
    evaluation = judge(tmp_path, MM, "aten::mm", "--in-process", "--no-time", *SPEC)
    assert evaluation["verdict"] == "not_custom" and kinds(evaluation) == {"library_kernel"}, evaluation["findings"]
    details = evaluation["findings"][0]["details"]
    assert details["library"] in ("cuBLAS", "CUTLASS") and float(details["share"]) > 0.9, details


def test_what_torch_compiles_is_inductor_s(tmp_path):
    evaluation = judge(tmp_path, COMPILED, "aten::add", "--in-process", "--no-time", "--workload-spec",
                       "self=f32[1024,1024] other=f32[1024,1024]")
    assert evaluation["verdict"] == "not_custom", evaluation["findings"]
    assert evaluation["findings"][0]["details"]["library"] == "Inductor"


def test_work_on_another_stream_is_found(tmp_path):
    evaluation = judge(tmp_path, neg(after=SIDE), "aten::neg", "--in-process", "--no-time", *NEG)
    assert evaluation["verdict"] == "runtime_error" and "race" in kinds(evaluation), evaluation["findings"]


def test_a_call_that_waits_for_the_device_is_timed_between_events(tmp_path):
    evaluation = judge(tmp_path, neg(after="torch.cuda.synchronize()"), "aten::neg", "--in-process", *NEG)
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    timing, = evaluation["timings"]
    assert timing["span"] == "events" and "cannot be recorded" in timing["why"]
    assert timing["ratio"] > 0


def test_a_fault_costs_the_candidate_alone(tmp_path):
    wrong = neg().replace("tl.store(out + at,", "tl.store(out + (at.to(tl.int64) << 40),")
    evaluation = judge(tmp_path, wrong, "aten::neg", "--in-process", "--no-time", *NEG)
    assert evaluation["verdict"] == "runtime_error" and "device_fault" in kinds(evaluation), evaluation["findings"]


@pytest.mark.parametrize("against, name", [("torch", "torch"), ("torch.compile", "torch.compile")])
def test_the_baseline_that_was_named_is_the_one(tmp_path, against, name):
    timing, = judge(tmp_path, neg(), "aten::neg", "--against", against, *NEG)["timings"]
    assert timing["baseline_name"] == name and 0.3 < timing["ratio"] < 3, timing


def test_a_baseline_that_is_not_there_says_so(tmp_path):
    text = (CATALOGUE / "vllm" / "rms_norm" / "expert.py").read_text()
    timing = judge(tmp_path, text, "vllm::rms_norm", "--against", "vllm", "--tier", "smoke")["timings"][0]
    assert timing.get("ratio") or "cannot be had here" in timing["why"], timing
