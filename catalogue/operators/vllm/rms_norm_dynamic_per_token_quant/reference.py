# SPDX-License-Identifier: Apache-2.0
"""y = round(round(x r) weight) with x = input + residual; one scale per row from the largest |y|, and y's codes."""
import math

import torch

from kgbench.oracle import Expected, round_to


def rms_norm_dynamic_per_token_quant(input, weight, epsilon, quant_dtype, scale_ub=None, residual=None, *, dtypes):
    kind = dtypes["input"]
    x = input if residual is None else input + residual
    normal = x / torch.sqrt((x * x).mean(-1, keepdim=True) + epsilon)
    y = round_to(round_to(normal, kind) * weight, kind)
    most, least = (127, 2.0**-23) if quant_dtype == torch.int8 else (448, 1 / (448 * 512))

    def scale_of(values):
        top = abs(values).amax(-1, keepdim=True)
        top = top if scale_ub is None else torch.minimum(top, scale_ub)
        return round_to((top / most).clamp_min(least), torch.float32)

    scale = scale_of(y)
    quotient = (y / scale).clamp(-128 if most == 127 else -448, most)
    # Where the largest value stands beside a rounding boundary its row's scale may be another.
    off = (2 * math.sqrt(x.shape[-1]) + 4) * 2.0**-24  # a root of a sum in f32 errs by half of the sum's error
    about = lambda factor: round_to(round_to(abs(normal) * factor, kind) * abs(weight), kind)
    high, low = about(1 + off), about(1 - off)
    smallest = scale_of(low)
    wide = scale_of(high) - smallest
    slack = scale + wide * 2.0**24 / 4  # the bound is 4 * 2^-24 of the magnitude
    # y'/s' - y/s = (y' - y) / s' + (y/s) (s - s') / s', with seven roundings in f32 besides.
    beside = (high - low + abs(quotient) * wide) / smallest + abs(quotient) * 7 * 2.0**-24
    result = {
        "return[0]": Expected(quotient, magnitude=beside, dtype=quant_dtype),
        "return[1]": Expected(scale, magnitude=slack, dtype=torch.float32),
    }
    if residual is not None:
        result["residual"] = Expected(x, magnitude=abs(input) + abs(residual))
    return result
