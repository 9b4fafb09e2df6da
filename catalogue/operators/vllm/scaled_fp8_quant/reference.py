# SPDX-License-Identifier: Apache-2.0
"""Quotients for e4m3 codes with a given scale, one from the largest magnitude of all, or one per row with a floor."""
import torch

from kgbench.oracle import Expected, round_to

LEAST = 1 / (448 * 512)


def codes(quotient):
    """A scale within its bound, its reciprocal and a product: seven roundings in f32 at most."""
    quotient = quotient.clamp(-448, 448)
    return Expected(quotient, magnitude=abs(quotient) * 7 * 2.0**-24, dtype=torch.float8_e4m3fn)


def scaled_fp8_quant(input, scale=None, num_token_padding=None, scale_ub=None, use_per_token_if_dynamic=False):
    if scale is not None:
        return codes(input / scale), Expected(scale, dtype=torch.float32)
    if use_per_token_if_dynamic:
        top = abs(input).amax(1, keepdim=True)
        own = (top if scale_ub is None else torch.minimum(top, scale_ub)) / 448
        own = round_to(own.clamp_min(LEAST), torch.float32)
    else:
        own = round_to(abs(input).amax().reshape(1) / 448, torch.float32)
    return codes(input / own), Expected(own, dtype=torch.float32)
