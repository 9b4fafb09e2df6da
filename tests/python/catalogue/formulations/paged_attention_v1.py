# SPDX-License-Identifier: Apache-2.0
"""Addresses in the flat caches, and SciPy's softmax."""
import numpy as np
import torch
from scipy.special import logsumexp


def f64(x):
    if x.dtype == torch.uint8:  # e4m3 by its fields
        code = x.numpy().astype(np.int64)
        exponent, mantissa = code % 128 // 8, code % 8
        size = np.where(exponent == 0, mantissa * 2.0**-9, (1 + mantissa / 8) * 2.0 ** (exponent - 7.0))
        return np.where(code >= 128, -size, size)
    return x.to(torch.float64).numpy()


def answer(entry, out, query, key_cache, value_cache, num_kv_heads, scale, block_tables, seq_lens, block_size,
           max_seq_len, alibi_slopes, kv_cache_dtype, k_scale, v_scale, **unused):
    q, keys, values = f64(query), f64(key_cache).reshape(-1), f64(value_cache).reshape(-1)
    if kv_cache_dtype != "auto":
        keys, values = keys * k_scale.item(), values * v_scale.item()
    size, x = query.shape[2], key_cache.shape[4]
    found = np.zeros(q.shape)
    i = np.arange(size)
    for s, length in enumerate(seq_lens.tolist()):
        for h in range(q.shape[1]):
            head = h // (q.shape[1] // num_kv_heads)
            logits, rows = [], []
            for j in range(length):
                base = (int(block_tables[s, j // block_size]) * num_kv_heads + head) * size * block_size
                key = keys[base + i // x * block_size * x + j % block_size * x + i % x]
                rows.append(values[base + i * block_size + j % block_size])
                bias = 0 if alibi_slopes is None else float(alibi_slopes[h]) * (j - length + 1)
                logits.append(scale * float(key @ q[s, h]) + bias)
            most = max(logits)  # the denominator has 1e-6 added to the sum that belongs to the largest logit
            total = np.logaddexp(logsumexp(logits), np.log(1e-6) + most)
            found[s, h] = np.exp(np.array(logits) - total) @ np.array(rows)
    return {"out": torch.from_numpy(found)}
