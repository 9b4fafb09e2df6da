# SPDX-License-Identifier: Apache-2.0
"""int8 codes with a given scale, or with one per row from its largest magnitude or its range; f32 steps as in vLLM."""
import torch

from kgbench.oracle import Expected, round_to


def f32(x):
    return round_to(x, torch.float32)


def codes(quotient, azp=0):
    """Nearest, ties to even, saturated."""
    return (torch.round(quotient) + azp).clamp(-128, 127).to(torch.int64)


def scaled_int8_quant(input, scale=None, azp=None, symmetric=True):
    if scale is not None:
        given = Expected(scale, dtype=torch.float32)
        if azp is None:
            return Expected(codes(f32(input / scale)), dtype=torch.int8), given, None
        q = codes(f32(input * f32(1 / scale)), azp)
        return Expected(q, dtype=torch.int8), given, Expected(azp, dtype=torch.int32)
    rows = input.reshape(-1, input.shape[-1])
    if symmetric:
        largest = abs(rows).amax(1, keepdim=True)
        factor = torch.where(largest == 0, largest, f32(127 / largest))
        q = codes(f32(rows * factor))
        return Expected(q.reshape(input.shape), dtype=torch.int8), Expected(largest / 127, dtype=torch.float32), None
    least, most = rows.amin(1, keepdim=True), rows.amax(1, keepdim=True)
    step = f32(f32(most - least) / 255)
    zero = torch.round(f32(-128 - f32(least / step)))
    q = codes(f32(rows * f32(1 / step)), zero)
    return (
        Expected(q.reshape(input.shape), dtype=torch.int8),
        Expected(step, dtype=torch.float32),
        Expected(zero.to(torch.int64), dtype=torch.int32),
    )
