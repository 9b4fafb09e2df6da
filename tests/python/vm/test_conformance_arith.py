# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, comparison, selection and bits on the virtual machine: all pairs of edge values against exact references."""
import math

import conformance as c
import numpy as np
import pytest
import torch
import triton
import triton.language as tl


# One jitted function per operation, so that a generic kernel can be compiled with it.
@triton.jit
def add(a, b):
    return a + b


@triton.jit
def sub(a, b):
    return a - b


@triton.jit
def mul(a, b):
    return a * b


@triton.jit
def floordiv(a, b):
    return a // b


@triton.jit
def mod(a, b):
    return a % b


@triton.jit
def truediv(a, b):
    return a / b


@triton.jit
def bit_and(a, b):
    return a & b


@triton.jit
def bit_or(a, b):
    return a | b


@triton.jit
def bit_xor(a, b):
    return a ^ b


@triton.jit
def shift_left(a, b):
    return a << b


@triton.jit
def shift_right(a, b):
    return a >> b


@triton.jit
def minimum(a, b):
    return tl.minimum(a, b)


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b)


@triton.jit
def minimum_nan(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def maximum_nan(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def equal(a, b):
    return a == b


@triton.jit
def not_equal(a, b):
    return a != b


@triton.jit
def less(a, b):
    return a < b


@triton.jit
def less_equal(a, b):
    return a <= b


@triton.jit
def greater(a, b):
    return a > b


@triton.jit
def greater_equal(a, b):
    return a >= b


@triton.jit
def negate(a):
    return -a


@triton.jit
def invert(a):
    return ~a


@triton.jit
def absolute(a):
    return tl.abs(a)


@triton.jit
def upper_product(a, b):
    return tl.umulhi(a, b)


@triton.jit
def ceiling_quotient(a, b):
    return tl.cdiv(a, b)


@triton.jit
def where(a, b, d):
    return tl.where(a != 0, b, d)


@triton.jit
def clamp(a, b, d):
    return tl.clamp(a, b, d)


@triton.jit
def clamp_nan(a, b, d):
    return tl.clamp(a, b, d, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def fused(a, b, d):
    return tl.fma(a, b, d)


@triton.jit
def precise_quotient(a, b):
    return tl.div_rn(a, b)


INTEGER_OPS = [(add, lambda a, b: a + b), (sub, lambda a, b: a - b), (mul, lambda a, b: a * b),
               (bit_and, lambda a, b: a & b), (bit_or, lambda a, b: a | b), (bit_xor, lambda a, b: a ^ b),
               (minimum, min), (maximum, max)]


@pytest.mark.parametrize("dtype", c.INTEGERS, ids=str)
@pytest.mark.parametrize("op, exact", INTEGER_OPS, ids=lambda v: getattr(v, "__name__", ""))
def test_integer_operations_wrap(op, exact, dtype):
    a, b = c.pairs(dtype)
    expected = c.wrapped([exact(x, y) for x, y in zip(c.exact_integers(a), c.exact_integers(b))], dtype)
    c.assert_same(c.run(op, a, b, out=torch.empty_like(a)), expected)


def quotient(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize("dtype", c.INTEGERS, ids=str)
@pytest.mark.parametrize("op", [floordiv, mod], ids=lambda v: v.__name__)
def test_integer_division_truncates_like_c(op, dtype):
    a, b = c.pairs(dtype)
    numbers = list(zip(c.exact_integers(a), c.exact_integers(b)))
    low = np.iinfo(c.numpy_dtype(dtype)).min
    defined = torch.tensor([y != 0 and not (low < 0 and x == low and y == -1) for x, y in numbers])
    one = torch.ones(256, dtype=torch.int64).to(dtype)
    b = c.pick(torch.cat([b.view(c_view(b)), one.view(c_view(b))]).view(dtype), torch.where(defined, torch.arange(256), 256))
    numbers = list(zip(c.exact_integers(a), c.exact_integers(b)))
    exact = [quotient(x, y) if op is floordiv else x - y * quotient(x, y) for x, y in numbers]
    c.assert_same(c.run(op, a, b, out=torch.empty_like(a)), c.wrapped(exact, dtype))


def c_view(tensor):
    return {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]


@pytest.mark.parametrize("dtype", c.INTEGERS, ids=str)
@pytest.mark.parametrize("op", [floordiv, mod], ids=lambda v: v.__name__)
def test_division_by_zero_is_a_finding_and_no_crash(op, dtype):
    a, b = c.pairs(dtype)
    result = c.launch(c.binary_kernel, (1,), a, b, torch.empty_like(a), OP=op, BLOCK=256)
    assert {f["kind"] for f in result["findings"]} == {"division_by_zero"}


@pytest.mark.parametrize("dtype", c.INTEGERS, ids=str)
@pytest.mark.parametrize("op", [shift_left, shift_right], ids=lambda v: v.__name__)
def test_shifts(op, dtype):
    bits = np.iinfo(c.numpy_dtype(dtype)).bits
    a, _ = c.pairs(dtype)
    counts = [i % bits for i in range(256)]
    b = torch.from_numpy(np.array(counts).astype(c.numpy_dtype(dtype)))
    exact = [x << n if op is shift_left else x >> n for x, n in zip(c.exact_integers(a), counts)]
    c.assert_same(c.run(op, a, b, out=torch.empty_like(a)), c.wrapped(exact, dtype))


COMPARISONS = [(equal, lambda a, b: a == b), (not_equal, lambda a, b: a != b), (less, lambda a, b: a < b),
               (less_equal, lambda a, b: a <= b), (greater, lambda a, b: a > b), (greater_equal, lambda a, b: a >= b)]


@pytest.mark.parametrize("dtype", c.INTEGERS + c.FLOATS, ids=str)
@pytest.mark.parametrize("op, exact", COMPARISONS, ids=lambda v: getattr(v, "__name__", ""))
def test_comparisons(op, exact, dtype):
    a, b = c.pairs(dtype)
    numbers = (a.double().tolist(), b.double().tolist()) if dtype.is_floating_point else (c.exact_integers(a), c.exact_integers(b))
    expected = torch.tensor([exact(x, y) for x, y in zip(*numbers)])
    c.assert_same(c.run(op, a, b, out=torch.empty(256, dtype=torch.bool)), expected)


@pytest.mark.parametrize("dtype", c.FLOATS, ids=str)
@pytest.mark.parametrize("op", [add, sub, mul], ids=lambda v: v.__name__)
def test_float_arithmetic_is_exact(op, dtype):
    a, b = c.pairs(dtype)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    exact = {add: torch.add, sub: torch.sub, mul: torch.mul}[op](a.to(wide), b.to(wide)).to(dtype)
    c.assert_same(c.run(op, a, b, out=torch.empty_like(a)), exact)


@pytest.mark.parametrize("dtype", c.FLOATS, ids=str)
def test_float_division_is_correctly_rounded(dtype):
    a, b = c.pairs(dtype)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    c.assert_same(c.run(truediv, a, b, out=torch.empty_like(a)), (a.to(wide) / b.to(wide)).to(dtype))


def test_precise_division():
    a, b = c.pairs(torch.float32)
    c.assert_same(c.run(precise_quotient, a, b, out=torch.empty_like(a)), a / b)


@pytest.mark.parametrize("dtype", c.FLOATS, ids=str)
def test_float_remainder_is_that_of_c(dtype):
    a, b = c.pairs(dtype)
    with np.errstate(invalid="ignore"):
        exact = torch.from_numpy(np.fmod(a.double().numpy(), b.double().numpy()))  # torch.fmod fails on denormals
    c.assert_same(c.run(mod, a, b, out=torch.empty_like(a)), exact.to(dtype))


def extreme(a, b, largest, keep):
    if math.isnan(a) or math.isnan(b):
        return float("nan") if keep else (b if math.isnan(a) else a)
    if a == b == 0:
        return math.copysign(0.0, max(math.copysign(1, a), math.copysign(1, b)) if largest
                             else min(math.copysign(1, a), math.copysign(1, b)))
    return max(a, b) if largest else min(a, b)


@pytest.mark.parametrize("dtype", c.FLOATS, ids=str)
@pytest.mark.parametrize("op, largest, keep", [(minimum, False, False), (maximum, True, False), (minimum_nan, False, True),
                                               (maximum_nan, True, True)], ids=lambda v: getattr(v, "__name__", ""))
def test_float_extremes(op, largest, keep, dtype):
    a, b = c.pairs(dtype)
    exact = [extreme(x, y, largest, keep) for x, y in zip(a.double().tolist(), b.double().tolist())]
    c.assert_same(c.run(op, a, b, out=torch.empty_like(a)), torch.tensor(exact, dtype=torch.float64).to(dtype))


@pytest.mark.parametrize("dtype", c.FLOATS + c.SIGNED, ids=str)
def test_negation_and_absolute_value(dtype):
    a, _ = c.pairs(dtype)
    if dtype.is_floating_point:
        flipped, positive = (-a.double()).to(dtype), a.double().abs().to(dtype)
    else:
        flipped = c.wrapped([-x for x in c.exact_integers(a)], dtype)
        positive = c.wrapped([abs(x) for x in c.exact_integers(a)], dtype)
    out = c.run(negate, a, out=torch.empty_like(a))
    if dtype.is_floating_point:
        out = torch.where(a == 0, flipped, out)  # the front end writes 0 - x, whose zero is +0
    c.assert_same(out, flipped)
    c.assert_same(c.run(absolute, a, out=torch.empty_like(a)), positive)


@pytest.mark.parametrize("dtype", c.INTEGERS, ids=str)
def test_inversion(dtype):
    a, _ = c.pairs(dtype)
    c.assert_same(c.run(invert, a, out=torch.empty_like(a)), c.wrapped([~x for x in c.exact_integers(a)], dtype))


@pytest.mark.parametrize("dtype", [torch.int32, torch.uint32, torch.int64, torch.uint64], ids=str)
def test_upper_half_of_products(dtype):
    a, b = c.pairs(dtype)
    bits = a.element_size() * 8
    mask = 2**bits - 1
    exact = [((x & mask) * (y & mask)) >> bits for x, y in zip(c.exact_integers(a), c.exact_integers(b))]
    c.assert_same(c.run(upper_product, a, b, out=torch.empty_like(a)), c.wrapped(exact, dtype))


def test_cdiv():
    a = torch.arange(256, dtype=torch.int32)
    b = torch.arange(256, dtype=torch.int32) % 17 + 1
    c.assert_same(c.run(ceiling_quotient, a, b, out=torch.empty_like(a)), -(-a // b))


@pytest.mark.parametrize("dtype", c.INTEGERS + c.FLOATS + c.FP8, ids=str)
def test_where_copies_bits(dtype):
    chosen = torch.arange(256, dtype=torch.int32) % 3
    a, b = c.pairs(dtype)
    width = c_view(a)
    expected = torch.where(chosen != 0, a.view(width), b.view(width)).view(dtype)
    c.assert_same(c.run(where, chosen, a, b, out=torch.empty_like(a)), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
@pytest.mark.parametrize("op, keep", [(clamp, False), (clamp_nan, True)], ids=lambda v: getattr(v, "__name__", ""))
def test_clamp(op, keep, dtype):
    a, _ = c.pairs(dtype)
    lo, hi = torch.full_like(a, -1.0), torch.full_like(a, 2.0)
    plain = a.float().clamp(-1.0, 2.0)
    expected = plain if keep else torch.where(a.float().isnan(), -1.0, plain)
    c.assert_same(c.run(op, a, lo, hi, out=torch.empty_like(a)), expected.to(dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_fma_rounds_once(dtype):
    # (1 + e)(1 - e) - 1 = -e^2, which two roundings lose.
    e = torch.finfo(dtype).eps
    a, b = torch.full((256,), 1 + e, dtype=dtype), torch.full((256,), 1 - e, dtype=dtype)
    d = torch.full((256,), -1.0, dtype=dtype)
    c.assert_same(c.run(fused, a, b, d, out=torch.empty_like(a)), torch.full((256,), -e * e, dtype=torch.float64).to(dtype))


@triton.jit
def mixed(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + tl.load(y + i))


@pytest.mark.parametrize("first, second", [(torch.int8, torch.int32), (torch.int32, torch.float16), (torch.uint8, torch.int64),
                                           (torch.float16, torch.float32), (torch.bfloat16, torch.float32),
                                           (torch.int64, torch.float32), (torch.bool, torch.int32)], ids=str)
def test_mixed_types_promote(first, second):
    a, b = torch.arange(256).remainder(7).to(first), torch.arange(256).remainder(5).to(second)
    out = torch.empty(256, dtype=second)
    assert c.launch(mixed, (1,), a, b, out, BLOCK=256)["findings"] == []
    c.assert_same(out, (a.double() + b.double()).to(second))
