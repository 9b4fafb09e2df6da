# SPDX-License-Identifier: Apache-2.0
"""Head by head; pairs turn as complex numbers."""
import math

import numpy as np
import torch


def answer(entry, qkv, num_heads_q, num_heads_k, num_heads_v, head_dim, eps, q_weight, k_weight, cos_sin_cache, is_neox,
           position_ids):
    found = qkv.to(torch.float64).numpy().copy()
    cache = cos_sin_cache.to(torch.float64).numpy()
    half = head_dim // 2
    for t, spot in enumerate(position_ids.tolist()):
        angle = cache[spot, :half] + 1j * cache[spot, half:]
        for h in range(num_heads_q + num_heads_k):
            head = found[t, h * head_dim : (h + 1) * head_dim]
            weight = (q_weight if h < num_heads_q else k_weight).to(torch.float64).numpy()
            y = head / math.sqrt(math.fsum(head * head) / head_dim + eps) * weight
            z = (y[:half] + 1j * y[half:] if is_neox else y[::2] + 1j * y[1::2]) * angle
            head[:] = np.concatenate([z.real, z.imag]) if is_neox else np.stack([z.real, z.imag], 1).reshape(-1)
    return {"qkv": torch.from_numpy(found)}
