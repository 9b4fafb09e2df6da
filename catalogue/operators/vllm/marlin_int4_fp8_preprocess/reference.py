# SPDX-License-Identifier: Apache-2.0
"""Every nibble v becomes v - zero where that is not negative, else 15 - v; the zero is 8 or its group's."""
import torch

from kgbench.oracle import Expected

SHIFTS = torch.arange(0, 32, 4)


def nibbles(words):
    return ((words.to(torch.int64) & 0xFFFFFFFF)[..., None] >> SHIFTS) & 15


def marlin_int4_fp8_preprocess(qweight, qzeros_or_none=None, inplace=False):
    v, zero = nibbles(qweight), 8
    if qzeros_or_none is not None:
        zero = nibbles(qzeros_or_none).repeat_interleave(qweight.shape[0] // qzeros_or_none.shape[0], 0)
    words = (torch.where(v >= zero, v - zero, 15 - v) << SHIFTS).sum(-1)
    return Expected(torch.where(words >= 2**31, words - 2**32, words), dtype=torch.int32)
