# SPDX-License-Identifier: Apache-2.0
"""Functions of libdevice: within ulps. The f32 ones are computed by the machine in f64, so the ulps are the GPU's."""

import values as v
from suite import Case, In, Out, binary, unary
from triton.language.extra.cuda import libdevice

FAMILY = "libdevice"
COUNT = 512


def draws(low, high):
    return lambda kind, seed: v.draw(kind, COUNT, seed, low, high)


def logarithmic(kind, seed):
    return v.spread(kind, COUNT, seed, 10).abs().clamp(min=2.0**-12)


# Function: domain, ulps in f32, ulps in f64. The bounds are CUDA's own tables rounded up where it has them.
ONE = {
    "sin": (draws(-12, 12), 2, 2),
    "cos": (draws(-12, 12), 2, 2),
    "tan": (draws(-1.5, 1.5), 4, 3),
    "sinpi": (draws(-3, 3), 2, 2),
    "cospi": (draws(-3, 3), 2, 2),
    "asin": (draws(-1, 1), 4, 3),
    "acos": (draws(-1, 1), 3, 3),
    "atan": (draws(-8, 8), 3, 3),
    "sinh": (draws(-8, 8), 3, 3),
    "cosh": (draws(-8, 8), 3, 2),
    "tanh": (draws(-8, 8), 3, 3),
    "asinh": (draws(-8, 8), 4, 4),
    "acosh": (draws(1, 40), 5, 4),
    "atanh": (draws(-0.99, 0.99), 4, 4),
    "exp": (draws(-30, 30), 3, 2),
    "exp2": (draws(-30, 30), 3, 2),
    "exp10": (draws(-9, 9), 3, 2),
    "expm1": (draws(-4, 8), 3, 2),
    "log": (logarithmic, 2, 2),
    "log2": (logarithmic, 2, 2),
    "log10": (logarithmic, 3, 3),
    "log1p": (draws(-0.9, 8), 3, 2),
    "sqrt": (logarithmic, 1, 0),
    "rsqrt": (logarithmic, 3, 2),
    "cbrt": (logarithmic, 2, 2),
    "rcbrt": (logarithmic, 3, 8),
    "erf": (draws(-4, 4), 3, 4),
    "erfc": (draws(-3, 5), 5, 8),
    "erfcx": (draws(-2, 8), 6, 32),
    "erfinv": (draws(-0.99, 0.99), 4, 8),
    "erfcinv": (draws(0.01, 0.9), 8, 16),
    "normcdf": (draws(-5, 5), 8, 32),
    "normcdfinv": (draws(0.01, 0.45), 8, 16),
    "lgamma": (draws(3, 40), 8, 8),
    "tgamma": (draws(0.5, 20), 8, 16),
    "j0": (draws(0.1, 2), 9, 16),
    "j1": (draws(0.1, 3), 9, 16),
    "y0": (draws(1.5, 3), 9, 16),
    "y1": (draws(3, 5), 9, 16),
    "cyl_bessel_i0": (draws(-8, 8), 8, 16),
    "cyl_bessel_i1": (draws(-8, 8), 8, 16),
}
TWO = {
    "pow": (draws(0.5, 6), 9, 4),
    "atan2": (draws(-6, 6), 4, 4),
    "hypot": (logarithmic, 4, 4),
    "rhypot": (logarithmic, 4, 4),
}
# Fast forms: f32 only. The ulps hold in these domains only; the fast functions promise an absolute error.
FAST = {
    "fast_sinf": (draws(0.5, 2.5), 16),
    "fast_cosf": (draws(-1, 1), 8),
    "fast_tanf": (draws(0.5, 1), 16),
    "fast_expf": (draws(-8, 8), 16),
    "fast_exp10f": (draws(-4, 4), 16),
    "fast_logf": (draws(2, 40), 4),
    "fast_log2f": (draws(2, 40), 4),
    "fast_log10f": (draws(2, 40), 4),
}
FAST_TWO = {"fast_dividef": (logarithmic, 2), "fast_powf": (draws(1, 4), 16)}


def case(kernel, name, kind, domain, operands, ulps):
    return Case(
        FAMILY,
        f"{name}.{kind}",
        kernel,
        lambda: [*[In(domain(kind, seed)) for seed in range(1, operands + 1)], Out(kind, COUNT)],
        constants={"OP": getattr(libdevice, name), "N": COUNT},
        ulps=ulps,
    )


CASES = [
    *[
        case(unary, name, kind, domain, 1, ulps)
        for name, (domain, *bounds) in ONE.items()
        for kind, ulps in zip(("f32", "f64"), bounds)
    ],
    *[
        case(binary, name, kind, domain, 2, ulps)
        for name, (domain, *bounds) in TWO.items()
        for kind, ulps in zip(("f32", "f64"), bounds)
    ],
    *[case(unary, name, "f32", domain, 1, ulps) for name, (domain, ulps) in FAST.items()],
    *[case(binary, name, "f32", domain, 2, ulps) for name, (domain, ulps) in FAST_TWO.items()],
]
