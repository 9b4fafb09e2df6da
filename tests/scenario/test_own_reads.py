# SPDX-License-Identifier: Apache-2.0
"""Host code that reads what its own kernels computed, from the card to the verdict."""
from types import SimpleNamespace

import pytest
from conftest import FAST, expert, judged_together, kgbench

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


FORGE = "known = next(o for o in gc.get_objects() if type(o).__name__ == 'OwnReads').known\n" \
        "known[:] = [struct.pack('q', 3)]\n"
VALUES = f"{READ}n = min(n, 24)\nvalues = chosen(x, 24)[:n].tolist()\n"
TRAVELS = {
    "upload": ("return torch.tensor(values, device='cuda')", "upload_after_read"),
    "upload into the output": ("out = torch.empty(n, dtype=x.dtype, device='cuda')\nout.copy_(torch.tensor(values))\n"
                               "return out", "upload_after_read"),
    "fills": ("out = chosen(x, n)\nfor i in range(n):\n    out[i] = values[i]\nreturn out", "no_launch"),
}
BODIES = {"honest": HONEST, "forged": FORGE + HONEST,
          "too much": "values = chosen(x, 33).tolist()\nreturn chosen(x, len(values))\n",
          **{name: VALUES + answer for name, (answer, _) in TRAVELS.items()}}


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """The operator twice, `refused` without the permission, `short` with one short workload, and the candidates."""
    folder = tmp_path_factory.mktemp("own")
    for name, card in {"positive": CARD, "refused": CARD.replace("reads_own = true\n", ""),
                       "short": CARD.replace(", [700]", "")}.items():
        place = folder / "catalogue" / "mine" / name
        place.mkdir(parents=True)
        (place / "card.toml").write_text(card.replace("mine::positive", f"mine::{name}"))
        (place / "reference.py").write_text(REFERENCE)
    for name, body in BODIES.items():
        (folder / f"{name}.py").write_text(HEAD + "def positive(x):\n"
                                           + "".join(f"    {line}\n" for line in body.strip().splitlines()))
    return SimpleNamespace(catalogue=folder / "catalogue", file=lambda name: folder / f"{name}.py")


@pytest.fixture(scope="module")
def evaluations(own):
    requests = {name: ("mine::short" if name in TRAVELS else "mine::positive", own.file(name)) for name in BODIES}
    requests["refused"] = ("mine::refused", own.file("honest"))
    requests["masks"] = ("aten::index", expert("aten::index"))
    return judged_together(requests, "--catalogue", own.catalogue, *FAST)


def deciding(evaluation):
    return evaluation["findings"][0]


def test_a_count_that_the_candidate_computed_may_steer_it(evaluations):
    evaluation = evaluations["honest"]
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert [w["verdict"] for w in evaluation["workloads"]] == ["pass", "pass"]


def test_without_permission_it_is_unsupported_and_the_line_is_told(evaluations):
    assert evaluations["refused"]["verdict"] == "unsupported"
    found = deciding(evaluations["refused"])
    assert found["kind"] == "host_read" and found["file"].endswith("honest.py") and found["line"] == LINE


def test_more_than_the_limit_is_unsupported(evaluations):
    found = deciding(evaluations["too much"])
    assert evaluations["too much"]["verdict"] == "unsupported"
    assert found["kind"] == "host_read" and "256 bytes" in found["message"]


@pytest.mark.parametrize("name", TRAVELS)
def test_what_was_read_may_not_travel_back(evaluations, name):
    evaluation = evaluations[name]
    assert evaluation["verdict"] == "not_custom", evaluation["findings"]
    assert deciding(evaluation)["kind"] == TRAVELS[name][1]


def test_a_recording_with_bytes_that_nobody_gave_is_tampering(evaluations):
    found = deciding(evaluations["forged"])
    assert evaluations["forged"]["verdict"] == "tampering"
    assert found["kind"] == "invalid_plan" and "nobody gave" in found["message"]


def test_masks_as_indices_are_judged_by_what_kernels_count(evaluations):
    evaluation = evaluations["masks"]
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert any("b8" in w["description"] for w in evaluation["workloads"])


def test_a_plan_shows_its_reads(own):
    plan = kgbench("plan", own.file("honest"), "--op", "mine::positive", "--catalogue", own.catalogue, "--seed", "5eed")
    assert plan.code == 0 and "read     tmp" in plan.out and "wanted" not in plan.out
