# SPDX-License-Identifier: Apache-2.0
"""The judge on a real GPU: experts pass and are timed, spoiled ones fail with their own verdicts, a fault or a hang costs
its own candidate. `make test-gpu` on a machine with a GPU."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "catalogue" / "operators"

pytestmark = pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")

TIMED = ["aten::add_", "aten::softmax", "aten::mm", "aten::cat", "aten::sort", "aten::bernoulli", "cublas::HgemmBatched",
         "cublas::Strsm", "cublas::Cdotu"]
UNTIMED = ["vllm::rotary_embedding", "aten::reshape"]
SPOILED = {  # of vllm::rms_norm
    "wrong_value": ("tl.rsqrt(", "1.01 * tl.rsqrt("),
    "runtime_error": ("mask=inside, other=0", "other=None"),
    "timeout": ("    live = (row < rows)[:, None]\n",
                "    live = (row < rows)[:, None]\n    while tl.load(x) == tl.load(x):\n        row += 1\n"),
}


def expert(op):
    return (CATALOGUE / op.replace("::", "/") / "expert.py").read_text()


@pytest.fixture(scope="module")
def results():
    """All candidates through one judge, the spoiled ones between the right ones."""
    requests = [{"id": op, "op": op, "source": expert(op)} for op in TIMED + UNTIMED]
    for at, (verdict, (old, new)) in enumerate(SPOILED.items()):
        text = expert("vllm::rms_norm")
        assert old in text
        requests.insert(2 * at + 1, {"id": verdict, "op": "vllm::rms_norm", "source": text.replace(old, new)})
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "judge", "--stream", "--tier", "smoke", "--chip", "nvidia", "--target",
                           "none", "--trial-limit", "5"], input="".join(json.dumps(r) + "\n" for r in requests),
                          capture_output=True, text=True, timeout=600, env={**os.environ, "KGBENCH_HOME": str(ROOT)})
    assert done.returncode == 0, done.stderr
    return {r["id"]: r for r in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("op", TIMED)
def test_an_expert_passes_and_is_timed_against_its_baseline(results, op):
    assert results[op]["verdict"] == "pass", results[op]
    speedup = results[op]["speedup"]
    assert speedup, results[op]
    assert 0.01 < speedup["low"] <= speedup["ratio"] <= speedup["high"] < 100


def test_a_ratio_against_cublas_says_so():
    """The library that lies beside torch is found without being named."""
    environment = {name: value for name, value in os.environ.items() if name != "KGBENCH_CUBLAS_LIBRARY"}
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "judge", CATALOGUE / "cublas" / "Sgemm" / "expert.py", "--op", "cublas::Sgemm",
                           "--tier", "smoke", "--chip", "nvidia", "--target", "none", "--json"], capture_output=True, text=True,
                          timeout=300, env={**environment, "KGBENCH_HOME": str(ROOT)})
    evaluation = json.loads(done.stdout)
    assert evaluation["timings"], done.stderr
    for timing in evaluation["timings"]:
        assert timing["baseline_name"].startswith("cuBLAS 1") and timing["ratio"] > 0, timing


@pytest.mark.parametrize("op", UNTIMED)
def test_operators_without_a_baseline_are_judged_all_the_same(results, op):
    assert results[op]["verdict"] == "pass", results[op]
    assert results[op]["speedup"] is None


@pytest.mark.parametrize("verdict", SPOILED)
def test_a_spoiled_expert_has_its_own_verdict(results, verdict):
    assert results[verdict]["verdict"] == verdict, results[verdict]
