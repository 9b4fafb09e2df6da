# SPDX-License-Identifier: Apache-2.0
"""The packer's permutations built as it builds them, and inverted."""
import numpy as np
import torch


def weight_order(bits):
    order = []
    for i in range(32):
        column = i // 4
        own = [16 * row + 256 * (column // 2) + 8 * (column % 2) + 4 * block for block in (0, 1)
               for row in (2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4), 2 * (i % 4 + 4) + 1)]
        for j in range(4):
            order += [p + j for p in own]
    inner = [0, 2, 4, 6, 1, 3, 5, 7] if bits == 4 else [0, 2, 1, 3]
    return np.array(order).reshape(-1, len(inner))[:, inner].reshape(-1)


def meta_place(row, column, rows):
    """Where the packer writes the word of (row, column)."""
    row = row // 64 * 64 + row % 2 * 2 + row % 8 // 4 + row % 32 % 4 // 2 * 32 + row % 64 // 8 * 4
    if row % 2 == 0 and column % 2 == 1:
        row, column = row + 1, column - 1
    elif row % 2 == 1 and column % 2 == 0:
        row, column = row - 1, column + 1
    return column // 2 * rows * 2 + row * 2 + column % 2


def answer(entry, a, b_q_weight, b_meta, b_scales, workspace, b_q_type, size_m, size_n, size_k):
    bits = 4 if b_q_type == 1125899907892224 else 8
    words = b_q_weight.numpy().view(np.uint32)
    fields = np.stack([words >> np.uint32(bits * j) & np.uint32(2**bits - 1) for j in range(32 // bits)], -1)
    packed = fields.reshape(-1, 1024).astype(np.int64)
    plain = np.zeros_like(packed)
    plain[:, weight_order(bits)] = packed
    kept = plain.reshape(size_k // 32, size_n // 16, 16, 16).transpose(0, 2, 1, 3).reshape(size_k // 2, size_n)
    scales = b_scales.to(torch.float64).numpy()
    if len(scales) > 1:
        order = [8 * i + j for i in range(size_n // 8) for j in (0, 4, 1, 5, 2, 6, 3, 7)]
        scales = scales[:, np.argsort(order)]
    meta = b_meta.numpy().view(np.uint16).reshape(-1)
    weight = np.zeros((size_k, size_n))
    for n in range(size_n):
        for quad in range(size_k // 4):
            code = int(meta[meta_place(n, quad // 4, size_n)]) >> (4 * (quad % 4)) & 15
            for i, place in enumerate((code % 4, code // 4)):
                k = 4 * quad + place
                weight[k, n] = (kept[2 * quad + i, n] - 2 ** (bits - 1)) * scales[k // (size_k // len(scales)), n]
    return {"return": torch.from_numpy(np.einsum("mk,kn->mn", a.to(torch.float64).numpy(), weight))}
