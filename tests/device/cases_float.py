# SPDX-License-Identifier: Apache-2.0
"""Floating-point arithmetic, extremes, comparisons and selection, rounding to whole numbers: all exact.

f32 functions of libdevice, floor and ceil flush denormals, as Triton links them: the machine runs these cases with its
option `flush_denormals`.
"""

import torch
import triton
import triton.language as tl
import values as v
from arithmetic import absolute, add, multiply, negate, subtract
from suite import elementwise
from triton.language.extra.cuda import libdevice

FAMILY = "float"


@triton.jit
def product_and_sum(a, b, c):
    """Two roundings: the case asks the compiler for no contraction."""
    return a * b + c


@triton.jit
def fused(a, b, c):
    return tl.fma(a, b, c)


@triton.jit
def fused_of_f32(a, b, c):
    return tl.fma(a.to(tl.float32), b.to(tl.float32), c.to(tl.float32))


@triton.jit
def divide_ieee(a, b):
    return tl.div_rn(a, b)


@triton.jit
def divide_f64(a, b):
    return a / b


@triton.jit
def root_ieee(a):
    return tl.sqrt_rn(a)


@triton.jit
def root_f64(a):
    return tl.sqrt(a)


@triton.jit
def least(a, b):
    return tl.minimum(a, b)


@triton.jit
def greatest(a, b):
    return tl.maximum(a, b)


@triton.jit
def least_or_nan(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def greatest_or_nan(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def limit(a):
    return tl.clamp(a, -1.5, 2.0)


@triton.jit
def limit_or_nan(a):
    return tl.clamp(a, -1.5, 2.0, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def relations(a, b):
    """All six comparisons as one number."""
    return (
        (a == b).to(tl.int32)
        + (a != b).to(tl.int32) * 2
        + (a < b).to(tl.int32) * 4
        + (a <= b).to(tl.int32) * 8
        + (a > b).to(tl.int32) * 16
        + (a >= b).to(tl.int32) * 32
    )


@triton.jit
def choose(a, b):
    return tl.where(a < b, a, b)


@triton.jit
def choose_by_constant(a):
    return tl.where(a > 0.0, a, a * -0.25)


@triton.jit
def floor(a):
    return tl.floor(a)


@triton.jit
def ceil(a):
    return tl.ceil(a)


@triton.jit
def square_difference(a, b):
    d = a - b
    return d * d


@triton.jit
def compensated(a, b):
    """The error of a sum: any contraction or reassociation would lose it."""
    s = a + b
    t = s - a
    return (a - (s - t)) + (b - t)


@triton.jit
def newton_reciprocal(a):
    y = tl.div_rn(tl.full(a.shape, 1.0, tl.float32), a)
    return tl.fma(y, tl.fma(-a, y, 1.0), y)


@triton.jit
def horner(a):
    return ((a * 0.125 + 0.5) * a - 0.75) * a + 1.0


@triton.jit
def polynomial_by_fma(a):
    return tl.fma(tl.fma(tl.fma(a, 0.125, 0.5), a, -0.75), a, 1.0)


@triton.jit
def round_half_even(a):
    return libdevice.rint(a)


@triton.jit
def round_half_away(a):
    return libdevice.round(a)


@triton.jit
def to_nearby(a):
    return libdevice.nearbyint(a)


@triton.jit
def toward_zero(a):
    return libdevice.trunc(a)


@triton.jit
def with_sign(a, b):
    return libdevice.copysign(a, b)


@triton.jit
def next_after(a, b):
    return libdevice.nextafter(a, b)


@triton.jit
def positive_difference(a, b):
    return libdevice.fdim(a, b)


@triton.jit
def scale_by_power(a):
    return libdevice.ldexp(a, 5) + libdevice.scalbn(a, -3)


@triton.jit
def exponent_of(a):
    return libdevice.ilogb(a)


@triton.jit
def exponent_as_float(a):
    return libdevice.logb(a)


@triton.jit
def classes(a):
    return (
        (libdevice.isnan(a) != 0).to(tl.int32)
        + (libdevice.isinf(a) != 0).to(tl.int32) * 2
        + (libdevice.signbit(a) != 0).to(tl.int32) * 4
    )


@triton.jit
def saturated(a):
    return libdevice.saturatef(a)


@triton.jit
def exact_remainder(a, b):
    return libdevice.fmod(a, b)


@triton.jit
def ieee_remainder(a, b):
    return libdevice.remainder(a, b)


@triton.jit
def language_remainder(a, b):
    """x - trunc(x / y) y on a GPU, and so with the machine's option `exact_remainder` off."""
    return a % b


@triton.jit
def directed_sums(a, b):
    return (libdevice.add_rd(a, b) - libdevice.add_ru(a, b)) + libdevice.add_rz(a, b)


@triton.jit
def directed_differences(a, b):
    return libdevice.sub_rd(a, b) * 2.0 - libdevice.sub_ru(a, b)


@triton.jit
def product_down(a, b):
    return libdevice.mul_rd(a, b)


@triton.jit
def product_up(a, b):
    return libdevice.mul_ru(a, b)


@triton.jit
def product_toward_zero(a, b):
    return libdevice.mul_rz(a, b)


@triton.jit
def quotient_down(a, b):
    return libdevice.div_rd(a, b)


@triton.jit
def quotient_up(a, b):
    return libdevice.div_ru(a, b)


@triton.jit
def quotient_toward_zero(a, b):
    return libdevice.div_rz(a, b)


@triton.jit
def quotient_nearest(a, b):
    return libdevice.div_rn(a, b)


@triton.jit
def fma_down(a, b, c):
    return libdevice.fma_rd(a, b, c)


@triton.jit
def fma_up(a, b, c):
    return libdevice.fma_ru(a, b, c)


@triton.jit
def fma_toward_zero(a, b, c):
    return libdevice.fma_rz(a, b, c)


@triton.jit
def reciprocal_nearest(a):
    return libdevice.rcp_rn(a)


@triton.jit
def reciprocal_directed(a):
    return libdevice.rcp_rd(a) + libdevice.rcp_ru(a) * 0.5


@triton.jit
def root_directed(a):
    return libdevice.sqrt_rd(a) + libdevice.sqrt_ru(a) * 0.5


@triton.jit
def inverse_root_nearest(a):
    return libdevice.rsqrt_rn(a)


def each(function, kinds, **how):
    return elementwise(FAMILY, function, kinds, **how)


def moderate(kind, n, seed):
    """Far from denormals, which these functions of libdevice flush halfway, and not zero."""
    value = v.mixed(kind, n, seed)
    return value.where(~(value.abs() < torch.finfo(value.dtype).tiny ** 0.5), 1.25)


ALL = v.FLOATS
BOTH = ("f32", "f64")
CASES = [
    *each(add, ALL),
    *each(subtract, ALL),
    *each(multiply, ALL),
    *each(negate, ALL),
    *each(absolute, ALL),
    *each(product_and_sum, ALL),
    *each(fused, BOTH),
    *each(fused_of_f32, ["f16", "bf16"], out="f32"),
    *each(divide_ieee, ["f32"]),
    *each(divide_f64, ["f64"]),
    *each(root_ieee, ["f32"]),
    *each(root_f64, ["f64"]),
    *each(least, ALL),
    *each(greatest, ALL),
    *each(least_or_nan, ALL),
    *each(greatest_or_nan, ALL),
    *each(limit, ALL),
    *each(limit_or_nan, ALL),
    *each(relations, ALL, out="i32"),
    *each(choose, ALL),
    *each(choose_by_constant, ALL),
    *each(floor, BOTH),
    *each(ceil, BOTH),
    *each(square_difference, ALL),
    *each(compensated, ALL),
    *each(newton_reciprocal, ["f32"], values=v.spread),
    *each(horner, ALL),
    *each(polynomial_by_fma, BOTH),
    *each(round_half_even, BOTH),
    *each(round_half_away, BOTH),
    *each(to_nearby, BOTH),
    *each(toward_zero, BOTH),
    *each(with_sign, BOTH),
    *each(next_after, BOTH, values=moderate),
    *each(positive_difference, BOTH),
    *each(scale_by_power, BOTH, values=moderate),
    *each(exponent_of, BOTH, out="i32"),
    *each(exponent_as_float, BOTH, values=moderate),
    *each(classes, BOTH, out="i32"),
    *each(saturated, ["f32"]),
    *each(exact_remainder, BOTH),
    *each(ieee_remainder, BOTH, values=moderate),
    *each(language_remainder, ALL),
    *each(directed_sums, BOTH),
    *each(directed_differences, BOTH),
    *each(product_down, BOTH),
    *each(product_up, BOTH),
    *each(product_toward_zero, BOTH),
    *each(quotient_down, BOTH),
    *each(quotient_up, BOTH, values=moderate),
    *each(quotient_toward_zero, BOTH),
    *each(quotient_nearest, BOTH),
    *each(fma_down, BOTH),
    *each(fma_up, BOTH),
    *each(fma_toward_zero, BOTH),
    *each(reciprocal_nearest, BOTH),
    *each(reciprocal_directed, BOTH),
    *each(root_directed, BOTH),
    *each(inverse_root_nearest, ["f32"]),
]
