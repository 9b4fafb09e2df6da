# SPDX-License-Identifier: Apache-2.0
"""Host code that reads what its own kernels computed, from the card to the verdict."""
import json

import pytest
from conftest import FAST, expert, kgbench

CARD = '''
name = "mine::positive"
family = "own"
tags = []
[[entry]]
name = "positive"
schema = "(Tensor self) -> Tensor"
reads_own = true
[error]
class = "exact"
[cost]
flops = "0"
bytes = "nbytes(self)"
[[workload]]
tier = "smoke"
self = { shape = [[24], [700]], dtype = "i64", domain = "integers(-9, 9)" }
'''
REFERENCE = "def positive(self):\n    return self[self > 0]\n"
HEAD = '''
import gc
import struct

import torch
import triton
import triton.language as tl


@triton.jit
def count_kernel(x, count, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(count, tl.sum((tl.load(x + i, mask=i < n, other=0) > 0).to(tl.int64)))


@triton.jit
def positive_kernel(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    keep = v > 0
    tl.store(out + tl.cumsum(keep.to(tl.int32), 0) - 1, v, mask=keep)


def counted(x):
    count = torch.empty(1, dtype=torch.int64, device=x.device)
    count_kernel[(1,)](x, count, x.numel(), B=1024)
    return count


def chosen(x, *shape):
    out = torch.empty(shape, dtype=x.dtype, device=x.device)
    positive_kernel[(1,)](x, out, x.numel(), B=1024)
    return out


'''
READ = 'n = counted(x).item()\n'
LINE = HEAD.count("\n") + 2
HONEST = READ + "return chosen(x, n)\n"


@pytest.fixture
def judge(tmp_path):
    """judge(body of the entry, text of the card) -> the evaluation."""
    def judged(body, card=CARD, head=HEAD):
        folder = tmp_path / "own" / "mine" / "positive"
        folder.mkdir(parents=True)
        (folder / "card.toml").write_text(card)
        (folder / "reference.py").write_text(REFERENCE)
        file = tmp_path / "mine.py"
        file.write_text(head + "def positive(x):\n" + "".join(f"    {line}\n" for line in body.strip().splitlines()))
        done = kgbench("judge", file, "--op", "mine::positive", "--catalogue", tmp_path / "own", *FAST, "--json")
        assert done.out, done.err
        return json.loads(done.out)
    return judged


def deciding(evaluation):
    return evaluation["findings"][0]


def test_a_count_that_the_candidate_computed_may_steer_it(judge):
    evaluation = judge(HONEST)
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert [w["verdict"] for w in evaluation["workloads"]] == ["pass", "pass"]


def test_without_permission_it_is_unsupported_and_the_line_is_told(judge):
    evaluation = judge(HONEST, CARD.replace("reads_own = true\n", ""))
    assert evaluation["verdict"] == "unsupported"
    found = deciding(evaluation)
    assert found["kind"] == "host_read" and found["file"].endswith("mine.py") and found["line"] == LINE


def test_more_than_the_limit_is_unsupported(judge):
    evaluation = judge("values = chosen(x, 33).tolist()\nreturn chosen(x, len(values))\n")
    assert evaluation["verdict"] == "unsupported"
    assert deciding(evaluation)["kind"] == "host_read" and "256 bytes" in deciding(evaluation)["message"]


@pytest.mark.parametrize("answer, kind", [
    ("return torch.tensor(values, device='cuda')", "upload_after_read"),
    ("out = torch.empty(n, dtype=x.dtype, device='cuda')\nout.copy_(torch.tensor(values))\nreturn out", "upload_after_read"),
    ("out = chosen(x, n)\nfor i in range(n):\n    out[i] = values[i]\nreturn out", "no_launch"),
], ids=["upload", "upload into the output", "fills"])
def test_what_was_read_may_not_travel_back(judge, answer, kind):
    evaluation = judge(f"{READ}n = min(n, 24)\nvalues = chosen(x, 24)[:n].tolist()\n{answer}\n",
                       CARD.replace(", [700]", ""))
    assert evaluation["verdict"] == "not_custom", evaluation["findings"]
    assert deciding(evaluation)["kind"] == kind


def test_a_recording_with_bytes_that_nobody_gave_is_tampering(judge):
    forge = "known = next(o for o in gc.get_objects() if type(o).__name__ == 'OwnReads').known\n" \
            "known[:] = [struct.pack('q', 3)]\n"
    evaluation = judge(forge + HONEST)
    assert evaluation["verdict"] == "tampering"
    assert deciding(evaluation)["kind"] == "invalid_plan" and "nobody gave" in deciding(evaluation)["message"]


def test_masks_as_indices_are_judged_by_what_kernels_count():
    done = kgbench("judge", expert("aten::index"), "--op", "aten::index", *FAST, "--json")
    evaluation = json.loads(done.out)
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert any("b8" in w["description"] for w in evaluation["workloads"])


def test_a_plan_shows_its_reads(judge, tmp_path):
    judge(HONEST)
    plan = kgbench("plan", tmp_path / "mine.py", "--op", "mine::positive", "--catalogue", tmp_path / "own", "--seed", "5eed")
    assert plan.code == 0 and "read     tmp" in plan.out and "wanted" not in plan.out
