# SPDX-License-Identifier: Apache-2.0
"""a @ W with W[k] = (q - zero) * scale of k's group; the stored zero is one less than meant, but in format v2."""
import math

import torch

from kgbench.oracle import Expected

# Which row of its word's eight the field of a shuffled 4-bit word holds.
EXLLAMA = [0, 2, 4, 6, 1, 3, 5, 7]


def fields(words, bits):
    """[..., fields] of int32 words, lowest first."""
    return ((words.to(torch.int64) & 0xFFFFFFFF)[..., None] >> torch.arange(0, 32, bits)) & (2**bits - 1)


def gptq_gemm(a, b_q_weight, b_gptq_qzeros, b_gptq_scales, b_g_idx, use_exllama, use_v2_format, bit):
    k, groups = a.shape[1], b_gptq_scales.shape[0]
    q = fields(b_q_weight, bit).permute(0, 2, 1)  # [words, fields, N]
    if use_exllama and bit == 4:
        plain = torch.empty_like(q)
        plain[:, EXLLAMA] = q
        q = plain
    zero = fields(b_gptq_qzeros, bit).flatten(1) + (0 if use_v2_format else 1)
    group = torch.arange(k) // (k // groups) if use_exllama else b_g_idx.to(int)
    weight = (q.reshape(k, -1) - zero[group]).to(torch.float64) * b_gptq_scales[group]
    if use_exllama and b_g_idx.numel():  # a's column for each packed row
        a = a[:, b_g_idx.to(int)]
    growth = 4 * math.sqrt(max(k, 1)) + 4  # as the bound has it, of 2^-24
    # Eight products added up in f16, and blocks of 128 of them: independent roundings of 2^-11.
    rounded = (8 + 4 * math.sqrt(k / 128)) * torch.sqrt((a * a) @ (weight * weight))
    return Expected(a @ weight, magnitude=abs(a) @ abs(weight) + 2.0**13 / growth * rounded, dtype=torch.float16)
