# SPDX-License-Identifier: Apache-2.0
"""a[:, perm] @ ((q - bias of the type) * scale of the group) + b_bias, everything taken out of Marlin's orders."""
import math

import torch

from kgbench.oracle import Expected

BITS = {1125899907892224: 4, 1125899923621888: 8}
ROUNDOFF = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}


def unpacked(words, size_k, size_n, bits):
    """q[k, n] from Marlin's words: tiles of 16 x 64, of which thread 4 (n % 8) + k % 8 // 2 holds eight weights."""
    k, n = torch.arange(size_k)[:, None], torch.arange(size_n)[None, :]
    tile, warp, thread = k // 16 * (size_n // 64) + n // 64, n % 64 // 16, 4 * (n % 8) + k % 8 // 2
    far, v = n % 16 // 8, k % 2 + 2 * (k % 16 // 8)  # v of the four in these 8 columns
    if bits == 4:
        v = v + 4 * far
        word, field = tile * 128 + 4 * thread + warp, v % 2 * 4 + v // 2
    else:
        word, field = tile * 256 + 8 * thread + 2 * warp + far, v % 2 * 2 + v // 2
    return (words.flatten().to(torch.int64)[word] & 0xFFFFFFFF) >> (bits * field) & (2**bits - 1)


def in_order(x, grouped):
    """Columns of scales or of a bias [.., N] put back: 8 x 8 blocks transposed, or the order of a single group."""
    c = torch.arange(x.shape[-1])
    if grouped:
        return x[..., 64 * (c // 64) + 8 * (c % 8) + c % 64 // 8]
    return x[..., 32 * (c // 32) + 8 * (c % 8 // 2) + 2 * (c % 32 // 8) + c % 2]


def gptq_marlin_gemm(a, c, b_q_weight, b_bias, b_scales, a_scales, global_scale, b_zeros, g_idx, perm, workspace,
                     b_q_type, size_m, size_n, size_k, *flags, dtypes):
    bits, groups, kind = BITS[b_q_type], b_scales.shape[0], dtypes["a"]
    scale = in_order(b_scales, groups > 1)[torch.arange(size_k) // (size_k // groups)]
    weight = (unpacked(b_q_weight, size_k, size_n, bits) - 2 ** (bits - 1)).to(torch.float64) * scale
    if perm is not None and perm.numel() and g_idx is not None and g_idx.numel():
        a = a[:, perm.to(int)]
    growth = 4 * math.sqrt(max(size_k, 1)) + 4  # as the bound has it, of 2^-24
    rounded = 4 * torch.sqrt((a * a) @ (weight * weight)) * ROUNDOFF[kind] * 2.0**24 / growth
    value, magnitude = a @ weight, abs(a) @ abs(weight) + rounded
    if b_bias is not None:
        bias = in_order(b_bias, False)
        value, magnitude = value + bias, magnitude + abs(bias)
    return Expected(value, magnitude=magnitude, dtype=kind)
