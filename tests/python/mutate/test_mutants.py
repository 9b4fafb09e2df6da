# SPDX-License-Identifier: Apache-2.0
"""Mutants: drawn alike every time, each with one change, and none whose change provably does nothing."""
import pathlib
import textwrap

import pytest
from kgbench.mutate import KINDS, mutants_of

KERNEL = textwrap.dedent("""
    import torch, triton
    import triton.language as tl

    @triton.jit
    def kernel(out, x, w, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        a = tl.load(x + at, mask=inside, other=0)
        b = tl.load(w + at, mask=inside, other=0)
        {body}

    def entry(x, w):
        {host}
        kernel[(triton.cdiv(x.numel(), 64),)](out, x, w, x.numel(), BLOCK=64)
        return out
""")
POINTWISE = "tl.store(out + at, tl.exp(a) + b.to(tl.float32), mask=inside)"
ALLOCATE = "out = torch.empty(x.shape, device=x.device)"


def changes(kind, body=POINTWISE, host=ALLOCATE):
    return [(m.before, m.after) for m in mutants_of(KERNEL.format(body=body, host=host)) if m.kind == kind]


def test_the_draw_is_the_same_every_time_and_another_seed_draws_others():
    source = KERNEL.format(body=POINTWISE, host=ALLOCATE)
    ids = lambda **how: [m.id for m in mutants_of(source, **how)]
    assert ids(count=6) == ids(count=6) and len(ids(count=6)) == 6
    assert ids(count=6) != ids(count=6, seed=1)
    assert set(ids(count=6)) <= set(ids())
    assert len(set(ids())) == len(ids())


def test_every_mutant_differs_from_the_original_and_from_the_others():
    source = KERNEL.format(body=POINTWISE, host=ALLOCATE)
    texts = [m.source for m in mutants_of(source)]
    assert len(set(texts)) == len(texts) and {m.kind for m in mutants_of(source)} <= set(KINDS)


EXPERTS = sorted((pathlib.Path(__file__).resolve().parents[3] / "catalogue" / "operators").glob("*/*/expert.py"))


def test_every_expert_has_mutants_unless_it_computes_nothing():
    without = [f"{p.parent.parent.name}::{p.parent.name}" for p in EXPERTS if not mutants_of(p.read_text(), count=1)]
    assert len(EXPERTS) == 210
    assert all("no_kernel" in (path.parent / "card.toml").read_text() for path in EXPERTS
               if f"{path.parent.parent.name}::{path.parent.name}" in without), without


def test_a_maximum_may_forget_either_side():
    body = "tl.store(out + at, tl.maximum(a, tl.minimum(b, 1.0)), mask=inside)"
    whole, inner = "tl.maximum(a, tl.minimum(b, 1.0))", "tl.minimum(b, 1.0)"
    assert set(changes("drop_extreme", body)) == {(whole, "a"), (whole, inner), (inner, "b"), (inner, "1.0")}


def test_what_masked_lanes_hold_is_no_fault_where_they_stay_apart():
    assert changes("other_value") == []


@pytest.mark.parametrize("faults, body", [
    (1, "tl.store(out + at, a - tl.sum(b, 0), mask=inside)"),      # lanes of b meet
    (2, "tl.store(out + at, a + b, mask=at < n + 1)"),             # stored under another mask
    (2, "tl.store(out + at, a + b)"),                              # stored without one
    (2, "tl.store(out + a, b, mask=tl.arange(0, BLOCK) < n)"),     # an address under another mask
    (2, "if n > 3:\n        b = a\n    tl.store(out + at, helper(a, b), mask=inside)"),  # a call that is not known
], ids=["sum", "other mask", "no mask", "address", "helper"])
def test_what_masked_lanes_hold_is_a_fault_where_it_may_reach_something(faults, body):
    assert len(changes("other_value", body)) == faults


@pytest.mark.parametrize("place, faults", [("at", 0), ("at + i", 1)])
def test_an_accumulator_may_carry_a_lane_to_a_later_mask(place, faults):
    body = (f"acc = tl.zeros([BLOCK], tl.float32)\n    for i in range(3):\n        here = {place} < n\n"
            f"        acc += tl.load(x + {place}, mask=here, other=0)\n    tl.store(out + at, acc, mask=at < n)")
    assert len([before for before, _ in changes("other_value", body) if "here" in before]) == faults


@pytest.mark.parametrize("other, faults", [("0", 0), ("2", 2)])
def test_one_operand_of_a_product_may_hold_anything_where_the_other_is_zero(other, faults):
    tile = "tl.load({} + at[:, None] + at[None, :], mask=(at < {})[:, None] & (at < {})[None, :], other=" + other + ")"
    body = (f"p = {tile.format('x', 'n', 'k')}\n    q = {tile.format('w', 'k', 'n')}\n"
            "    tl.store(out + at, tl.dot(p, q), mask=(at < n)[:, None] & (at < n)[None, :])")
    assert len([before for before, _ in changes("other_value", body) if "at < k" in before]) == faults


def test_a_mask_may_follow_from_another():
    body = "both = inside[:, None] & (at < 9)[None, :]\n    tl.store(out + at, {}, mask=both)"
    assert changes("other_value", body.format("a[:, None] + b[:, None]")) == []
    assert len(changes("other_value", body.format("a[None, :] + b[None, :]"))) == 2  # spread along the other axis


@pytest.mark.parametrize("body, faults", [
    ("c = tl.load(x + at, mask=inside).to(tl.float32)\n    d = tl.load(w + at, mask=inside).to(tl.float32)\n"
     "    tl.store(out + at, c - d, mask=inside)", 0),       # the other operand widens it
    ("c = tl.zeros([BLOCK], tl.float32)\n    c += tl.load(x + at, mask=inside).to(tl.float32)\n"
     "    tl.store(out + at, c, mask=inside)", 0),           # so does the sum
    ("c = tl.load(x + at, mask=inside).to(tl.float32)\n    tl.store(out + at, c * c, mask=inside)", 1),
    ("c = tl.load(x + at, mask=inside).to(tl.float32)\n    tl.store(out + at, tl.exp(c), mask=inside)", 1),
    ("far = at.to(INDEX) * 4096\n    tl.store(out + far, tl.load(x + far, mask=inside), mask=inside)", 0),
], ids=["widened", "added up", "with itself", "a function", "for tensors beyond 32 bits"])
def test_a_cast_that_arithmetic_makes_anyway_is_no_fault(body, faults):
    assert len(changes("drop_cast", body)) == faults


def test_a_condition_that_every_lane_meets_is_no_condition():
    body = ("lane = tl.arange(0, 4)[None, :]\n    tl.store(out + at[:, None] + lane, a[:, None], "
            "mask=inside[:, None] & (lane < {}))")
    assert [(b, x) for b, x in changes("loosen_mask", body.format(4)) if x == "inside[:, None]"] == []
    assert [b for b, _ in changes("swap_comparison", body.format(4))] == ["at < n"]
    assert [b for b, _ in changes("swap_comparison", body.format(3))] == ["at < n", "lane < 3"]


def test_a_product_with_zero_is_zero():
    body = "z = at * 0\n    tl.store(out + at + z, a + b, mask=inside)"
    assert [after for before, after in changes("drop_term", body) if before == "at * 0"] == ["at"]


def test_a_tensor_that_was_just_allocated_is_contiguous():
    assert changes("assume_contiguous", host=ALLOCATE + "; step = out.stride(-1)") == []
    assert changes("assume_contiguous", host=ALLOCATE + "; step = x.stride(-1)") == [("x.stride(-1)", "1")]
    maybe = "out = torch.empty(x.shape) if w is None else w; step = out.stride(-1)"
    assert changes("assume_contiguous", host=maybe) == [("out.stride(-1)", "1")]
