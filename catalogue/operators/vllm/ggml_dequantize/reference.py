# SPDX-License-Identifier: Apache-2.0
"""scale * weight for each element of the packed blocks (Q4_0 or Q8_0), rounded to f16."""
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


def ggml_dequantize(W, quant_type, m, n, dtype=None):
    scale, weight = fields(W.reshape(-1, 34 if quant_type == 8 else 18), quant_type)
    return Expected(round_to(scale[:, None] * weight, torch.float16).reshape(m, n), dtype=dtype or torch.float16)
