# SPDX-License-Identifier: Apache-2.0
"""a @ W with W = (q - 128 - zero) * scale, all in AllSpark's order of 32 columns by 16 rows."""
import math

import torch

from kgbench.oracle import Expected, round_to

ROUNDOFF = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}


def allspark_w8a16_gemm(a, b_qweight, b_scales, b_qzeros, n, group_size, sm_count, sm_version, CUBLAS_M_THRESHOLD,
                        has_zp, n32k16_reorder, *, dtypes):
    size_k, kind = a.shape[1], dtypes["a"]
    k, column = torch.arange(size_k)[:, None], torch.arange(n)[None, :]
    at = (8 * (column // 32) + column % 8) * 4 * size_k + 64 * (k // 16) + 16 * (k % 8 // 2)
    at = at + 4 * (column % 32 // 8) + 2 * (k % 16 // 8) + k % 2
    place = (32 * (column // 32) + 4 * (column % 8) + column % 32 // 8).flatten()
    centred = b_qweight.flatten()[at].to(torch.float64) - 128
    if has_zp:
        centred = round_to(centred - b_qzeros.flatten()[place], kind)
    weight = round_to(centred * b_scales.flatten()[place], kind)
    growth = 4 * math.sqrt(max(size_k, 1)) + 4  # as the bound has it, of 2^-24
    # Weights that are not rounded differ independently: twice the root of the sum of squares.
    unrounded = 2 * torch.sqrt((a * a) @ (weight * weight)) * ROUNDOFF[kind] * 2.0**24 / growth
    return Expected(a @ weight, magnitude=abs(a) @ abs(weight) + unrounded, dtype=kind)
