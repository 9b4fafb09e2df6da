# SPDX-License-Identifier: Apache-2.0
"""Marlin's order as its packer makes it: one permutation of 1024 weights, inverted; then a plain product."""
import numpy as np
import torch


def weight_order(bits):
    """Where each packed weight of four 16 x 16 blocks comes from."""
    order = []
    for i in range(32):
        column = i // 4
        own = [16 * row + column + 8 * block for block in (0, 1)
               for row in (2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4), 2 * (i % 4 + 4) + 1)]
        for j in range(4):
            order += [p + 256 * j for p in own]
    inner = [0, 2, 4, 6, 1, 3, 5, 7] if bits == 4 else [0, 2, 1, 3]
    return np.array(order).reshape(-1, len(inner))[:, inner].reshape(-1)


def scale_orders():
    grouped = [i + 8 * j for i in range(8) for j in range(8)]
    single = [2 * i + j for i in range(4) for j in (0, 1, 8, 9, 16, 17, 24, 25)]
    return grouped, single


def restored(x, order):
    lines = x.to(torch.float64).numpy().reshape(-1, len(order))
    found = np.zeros_like(lines)
    found[:, order] = lines
    return found.reshape(x.shape)


def answer(entry, a, b_q_weight, b_bias, b_scales, g_idx, perm, b_q_type, size_n, size_k, **unused):
    bits = 4 if b_q_type == 1125899907892224 else 8
    words = b_q_weight.numpy().view(np.uint32)
    fields = np.stack([words >> np.uint32(bits * j) & np.uint32(2**bits - 1) for j in range(32 // bits)], -1)
    order = weight_order(bits)
    packed = fields.reshape(-1, 1024)
    plain = np.zeros(packed.shape)
    plain[:, order] = packed
    q = plain.reshape(size_k // 16, size_n // 16, 16, 16).transpose(0, 2, 1, 3).reshape(size_k, size_n)
    grouped, single = scale_orders()
    scales = restored(b_scales, grouped if len(b_scales) > 1 else single)
    weight = (q - 2 ** (bits - 1)) * np.repeat(scales, size_k // len(scales), 0)
    x = a.to(torch.float64).numpy()
    if perm is not None:
        x = x[:, perm.numpy()]
    found = np.einsum("mk,kn->mn", x, weight)
    return {"return": torch.from_numpy(found if b_bias is None else found + restored(b_bias, single))}
