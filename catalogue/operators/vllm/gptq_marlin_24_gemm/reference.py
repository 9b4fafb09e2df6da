# SPDX-License-Identifier: Apache-2.0
"""a @ W; of four rows of W two are kept, (q - bias of the type) * scale, at the positions that b_meta names."""
import math

import torch

from kgbench.oracle import Expected

BITS = {1125899907892224: 4, 1125899923621888: 8}


def kept_weights(words, half_k, size_n, bits):
    """q [K / 2, N] from words in Marlin's order: 1024 weights are four blocks of 16 x 16."""
    k, n = torch.arange(half_k)[:, None], torch.arange(size_n)[None, :]
    chunk = k // 16 * (size_n // 64) + n // 64
    # A thread holds, for each j, the rows r, r + 1, r + 8, r + 9 of two columns, 4 apart.
    within = n % 64
    column, block, j = 2 * (within // 16) + within % 16 // 8, within % 8 // 4, within % 4
    thread, v = 4 * column + k % 8 // 2, k % 2 + 2 * (k % 16 // 8)
    if bits == 4:
        v = v + 4 * block
        word, field = chunk * 128 + thread * 4 + j, v % 2 * 4 + v // 2
    else:
        word, field = chunk * 256 + thread * 8 + j * 2 + block, v % 2 * 2 + v // 2
    return (words.flatten().to(torch.int64)[word] & 0xFFFFFFFF) >> (bits * field) & (2**bits - 1)


def positions(meta, size_k, size_n):
    """The code, first | second << 2, of each four rows and column [K / 4, N]."""
    quad, n = torch.arange(size_k // 4)[:, None], torch.arange(size_n)[None, :]
    c = quad // 4  # a word for 16 rows
    r = 64 * (n // 64) + 2 * (n % 2) + n % 8 // 4 + 32 * (n % 4 // 2) + 4 * (n % 64 // 8)
    swap = ((r % 2 == 0) & (c % 2 == 1)).long() - ((r % 2 == 1) & (c % 2 == 0)).long()
    r, c = r + swap, c - swap
    word = meta.flatten().to(torch.int64)[c // 2 * 2 * size_n + 2 * r + c % 2] & 0xFFFF
    return word >> (4 * (quad % 4)) & 15


def gptq_marlin_24_gemm(a, b_q_weight, b_meta, b_scales, workspace, b_q_type, size_m, size_n, size_k):
    bits, groups = BITS[b_q_type], b_scales.shape[0]
    kept = kept_weights(b_q_weight, size_k // 2, size_n, bits) - 2 ** (bits - 1)
    code = positions(b_meta, size_k, size_n)
    quads = torch.zeros((size_k // 4, 4, size_n), dtype=torch.int64)
    quads.scatter_(1, torch.stack([code & 3, code >> 2], 1), kept.reshape(size_k // 4, 2, size_n))
    n = torch.arange(size_n)
    own = 8 * (n // 8) + torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])[n % 8] if groups > 1 else n
    scale = b_scales[:, own][torch.arange(size_k) // (size_k // groups)]
    weight = quads.reshape(size_k, size_n) * scale
    growth = 4 * math.sqrt(max(size_k // 2, 1)) + 4  # as the bound has it, of 2^-24
    rounded = 4 * torch.sqrt((a * a) @ (weight * weight)) * 2.0**13 / growth
    return Expected(a @ weight, magnitude=abs(a) @ abs(weight) + rounded, dtype=torch.float16)
