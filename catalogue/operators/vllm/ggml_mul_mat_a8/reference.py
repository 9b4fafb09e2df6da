# SPDX-License-Identifier: Apache-2.0
"""X in q8_1 (int8 codes, f16 scale and sum for each 32) times the rows of W, packed as Q4_0 or Q8_0."""
import math

import torch

from kgbench.oracle import Expected, round_to


def fields(blocks, quant_type):
    """(f16 scale of each block, its 32 signed weights) from bytes [..., blocks, bytes per block], both in fp64."""
    scale = blocks[..., :2].contiguous().view(torch.float16)[..., 0].to(torch.float64)
    data = blocks[..., 2:]
    if quant_type == 8:  # Q8_0: signed bytes
        return scale, data.contiguous().view(torch.int8).to(torch.float64)
    nibbles = torch.cat([data & 15, data >> 4], -1)  # Q4_0: element j in the low half of byte j, 16 + j in the high one
    return scale, nibbles.to(torch.float64) - 8


def near(values, boundary):
    """Where f32 steps may round to the other side."""
    return abs(values - boundary) <= 2.0**-20 * (abs(values) + 1)


def activations(x):
    """q8_1 of rows [..., K]: f16 scales, codes [..., K / 32, 32], f16 sums; and what codes and sums may be off."""
    blocks = x.reshape(*x.shape[:-1], -1, 32)
    d = round_to(abs(blocks).amax(-1, keepdim=True) / 127, torch.float32)
    quotient = torch.where(d == 0, torch.zeros_like(blocks), round_to(blocks / d, torch.float32))
    size = torch.floor(abs(quotient))
    code = torch.copysign(size + (abs(quotient) - size >= 0.5), quotient)  # halves away from zero
    total, slack = blocks.sum(-1), 2.0**-20 * abs(blocks).sum(-1)
    off = round_to(total + slack, torch.float16) - round_to(total - slack, torch.float16)
    unsure = near(abs(quotient) - size, 0.5).to(torch.float64)
    return round_to(d[..., 0], torch.float16), code, round_to(total, torch.float16), unsure, off


def product(weight, quant_type, x, growth):
    """x [vectors, K] times the rows of weight [rows, bytes]: values and magnitudes [vectors, rows]."""
    scale, w = fields(weight.reshape(weight.shape[0], -1, 34 if quant_type == 8 else 18), quant_type)
    d, code, total, unsure, off = activations(x)
    scaled = scale[..., None] * w  # [rows, blocks, 32]
    value = torch.einsum("rbi,vbi->vr", scaled, d[..., None] * code)
    magnitude = torch.einsum("rbi,vbi->vr", abs(scaled), d[..., None] * abs(code))
    # A code beside a half may be the next one, and a block's f16 sum the next number.
    slack = torch.einsum("rbi,vbi->vr", abs(scaled), d[..., None] * unsure)
    if quant_type == 2:  # unsigned weights v; 8 times the sum of the activations themselves is taken off
        exact = (d[..., None] * code).sum(-1)
        value = value + 8 * torch.einsum("rb,vb->vr", scale, exact - total)
        magnitude = magnitude + 8 * torch.einsum("rb,vb->vr", abs(scale), abs(exact) + abs(total))
        slack = slack + 8 * torch.einsum("rb,vb->vr", abs(scale), off)
    return value, magnitude + slack * 2.0**24 / growth


def ggml_mul_mat_a8(W, X, quant_type, row, *, dtypes):
    growth = 4 * math.sqrt(max(1, X.shape[-1] // 32)) + 4  # as the bound has it, of 2^-24
    value, magnitude = product(W.reshape(row, -1), quant_type, X, growth)
    return Expected(value, magnitude=magnitude, dtype=dtypes["X"])
