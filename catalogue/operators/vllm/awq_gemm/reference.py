# SPDX-License-Identifier: Apache-2.0
"""out = input @ W with W = f16((q - z) * s), fields of a word holding the columns 0 2 4 6 1 3 5 7 of its eight."""
import math

import torch

from kgbench.oracle import Expected, round_to

INTERLEAVE = [0, 4, 1, 5, 2, 6, 3, 7]  # column e of a word's eight is in this field


def unpacked(words):
    fields = ((words.to(torch.int64) & 0xFFFFFFFF)[..., None] >> torch.arange(0, 32, 4)) & 15
    return fields[..., INTERLEAVE].flatten(-2).to(torch.float64)


def awq_gemm(input, qweight, scales, qzeros, split_k_iters):
    m, k = input.shape
    group = torch.arange(k) // (k // scales.shape[0])
    weight = round_to((unpacked(qweight) - unpacked(qzeros)[group]) * scales[group], torch.float16)
    growth = 4 * math.sqrt(max(k, 1)) + 4  # the bound is growth * 2^-24 * magnitude
    # Weights that are not rounded differ by up to 2^-11 each, independently: twice the root of the sum of squares.
    magnitude = abs(input) @ abs(weight)
    magnitude = magnitude + 2.0**13 / growth * 2 * torch.sqrt((input * input) @ (weight * weight))
    if split_k_iters > 1:  # every split's sum is rounded to f16
        slab = torch.arange(k) // 32 % split_k_iters
        for s in range(split_k_iters):
            magnitude = magnitude + 2.0**13 / growth * abs(input[:, slab == s] @ weight[slab == s])
    return Expected(input @ weight, magnitude=magnitude, dtype=torch.float16)
