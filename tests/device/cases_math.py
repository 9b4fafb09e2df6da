# SPDX-License-Identifier: Apache-2.0
"""Functions of the language that a GPU approximates, and fast division: within ulps of the machine's.

exp2, sqrt and rsqrt of f32 flush denormals, exp, log and log2 keep them.
"""

import numpy as np
import triton
import triton.language as tl
import values as v
from suite import elementwise
from triton.language.extra.cuda import libdevice

FAMILY = "math"
COUNT = 512


@triton.jit
def exp(a):
    return tl.exp(a)


@triton.jit
def exp2(a):
    return tl.exp2(a)


@triton.jit
def log(a):
    return tl.log(a)


@triton.jit
def log2(a):
    return tl.log2(a)


@triton.jit
def sin(a):
    return tl.sin(a)


@triton.jit
def cos(a):
    return tl.cos(a)


@triton.jit
def sqrt(a):
    return tl.sqrt(a)


@triton.jit
def rsqrt(a):
    return tl.rsqrt(a)


@triton.jit
def erf(a):
    return tl.erf(a)


@triton.jit
def divide(a, b):
    return a / b


@triton.jit
def fast_divide(a, b):
    return tl.fdiv(a, b)


@triton.jit
def reciprocal(a):
    return 1.0 / a


@triton.jit
def sigmoid(a):
    return tl.sigmoid(a)


@triton.jit
def silu(a):
    return a * tl.sigmoid(a)


@triton.jit
def gelu(a):
    return 0.5 * a * (1.0 + tl.erf(a * 0.7071067811865476))


@triton.jit
def gelu_by_tanh(a):
    return 0.5 * a * (1.0 + libdevice.tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)))


@triton.jit
def softplus(a):
    return tl.where(a > 20.0, a, tl.log(1.0 + tl.exp(a)))


@triton.jit
def mish(a):
    return a * libdevice.tanh(tl.log(1.0 + tl.exp(a)))


@triton.jit
def elu(a):
    return tl.where(a > 0.0, a, tl.exp(a) - 1.0)


@triton.jit
def power(a, b):
    return tl.exp2(b * tl.log2(a))


@triton.jit
def norm_of_pair(a, b):
    return tl.sqrt(a * a + b * b)


@triton.jit
def exp_of_narrow(a):
    return tl.exp(a.to(tl.float32)).to(tl.float16)


@triton.jit
def log_of_narrow(a):
    return tl.log(a.to(tl.float32)).to(tl.bfloat16)


@triton.jit
def divide_narrow(a, b):
    return a / b


@triton.jit
def harmonic_mean(a, b):
    return 2.0 * a * b / (a + b)


@triton.jit
def logit(a):
    return tl.log(a / (1.0 - a))


@triton.jit
def gaussian(a):
    return tl.exp(-0.5 * a * a) * 0.3989422804014327


def within(low, high):
    return lambda kind, n, seed: v.draw(kind, COUNT, seed, low, high)


def positive(kind, n, seed):
    values = v.spread(kind, COUNT, seed, 10)
    return values.abs().clamp(min=2.0**-12)


def nonzero(kind, n, seed):
    values = v.spread(kind, COUNT, seed, 10)
    return values.sign() * values.abs().clamp(min=2.0**-12)


def denormal(kind, n, seed):
    """Positive, half of them just above the least normal number."""
    bits = 23 if kind == "f32" else 52
    return v.tensor(kind, v.raw(COUNT, seed) >> np.uint64(64 - bits - 1))


def special(kind, n, seed):
    """Infinities, NaN and both zeros."""
    at = v.as_kind(kind, [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 4.0] * 32)
    return at if seed == 1 else v.pick(at, slice(None, None, -1))


def each(function, kinds, ulps, low_high=None, **how):
    if isinstance(low_high, tuple):
        how["values"] = within(*low_high)
    elif low_high:
        how["values"] = low_high
    return elementwise(FAMILY, function, kinds, ulps=ulps, **how)


def of_special(function, kinds, **how):
    return elementwise(FAMILY, function, kinds, values=special, name=f"{function.__name__}_of_special_values", **how)


BOTH = ("f32", "f64")
CASES = [
    *each(exp, ["f32"], 16, (-20, 20)),
    *each(exp, ["f64"], 2, (-20, 20)),
    *each(exp2, BOTH, 2, (-30, 30)),
    *each(log, BOTH, 2, positive),
    *each(log2, BOTH, 2, positive),
    *each(sin, BOTH, 2, (-12, 12)),
    *each(cos, BOTH, 2, (-12, 12)),
    *each(sqrt, ["f32"], 1, positive),
    *each(rsqrt, BOTH, 2, positive),
    *each(erf, BOTH, 2, (-4, 4)),
    *each(divide, ["f32"], 2, nonzero),
    *each(fast_divide, ["f32"], 2, nonzero),
    *each(reciprocal, BOTH, 2, nonzero),
    *each(sigmoid, ["f32"], 16, (-15, 15)),
    *each(sigmoid, ["f64"], 4, (-15, 15)),
    *each(silu, ["f32"], 16, (-15, 15)),
    *each(gelu, ["f32"], 4, (0.1, 6)),
    *each(gelu_by_tanh, ["f32"], 4, (0.1, 6)),
    *each(softplus, ["f32"], 8, (-3, 30)),
    *each(mish, ["f32"], 8, (-2, 10)),
    *each(elu, ["f32"], 4, (-5, -1)),
    *each(power, ["f32"], 16, lambda kind, n, seed: v.draw(kind, COUNT, seed, 1.0, 4.0)),
    *each(norm_of_pair, ["f32"], 2, nonzero),
    *each(exp_of_narrow, ["f16"], 1, (-4, 4), out="f16"),
    *each(log_of_narrow, ["bf16"], 1, positive, out="bf16"),
    *each(divide_narrow, ["f16", "bf16"], 1, nonzero),
    *each(harmonic_mean, ["f32"], 4, positive),
    *each(logit, ["f32"], 8, (0.001, 0.4)),
    *each(gaussian, ["f32"], 8, (-4, 4)),
    *[
        case
        for function in (sqrt, rsqrt, log, log2, exp, exp2)
        for case in elementwise(
            FAMILY, function, BOTH, values=denormal, ulps=2, name=f"{function.__name__}_of_denormals"
        )
    ],
    *each(exp, ["f32"], 64, (-104, -86), name="exp_to_denormals"),
    *each(exp2, ["f32"], 2, (-150, -120), name="exp2_to_denormals"),
    *[case for function in (exp, exp2, log, log2, sqrt, rsqrt, erf, divide) for case in of_special(function, BOTH)],
    *[case for function in (sin, cos) for case in of_special(function, BOTH, ulps=2)],
]
