# SPDX-License-Identifier: Apache-2.0
"""Softmax over a sequence's cached keys, weighted sum of its values; a group of query heads shares a key head."""
import math

import torch

from kgbench.oracle import Expected

ROUNDOFF = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float32: 0.0}


def attended(query, key_cache, value_cache, heads, scale, tables, lengths, slopes, growth, roundoff):
    """Values and magnitudes [sequences, heads, head size]."""
    value = torch.zeros(query.shape, dtype=torch.float64)
    magnitude = torch.zeros_like(value)
    size, group = value_cache.shape[3], query.shape[1] // heads
    for s, length in enumerate(lengths.tolist()):
        at = torch.arange(length)
        block, offset = tables[s][at // size].to(int), at % size
        for h in range(query.shape[1]):
            keys = key_cache[block, h // group, :, offset].reshape(length, -1)
            values = value_cache[block, h // group, :, offset]
            logits = scale * (keys @ query[s, h])
            if slopes is not None:
                logits = logits + slopes[h] * (at - length + 1)
            weights = torch.exp(logits - logits.max())
            weights = weights / (weights.sum() + 1e-6)
            # A logit errs by f32's roundoff times what it was added up from, and with it its weight.
            slack = 1 + float((abs(scale) * (abs(keys) @ abs(query[s, h]))).max() + abs(logits).max())
            value[s, h] = weights @ values
            magnitude[s, h] = slack * (weights @ abs(values))
            # Weights rounded to the query's type err independently: twice the root of the sum of squares.
            rounded = 2 * torch.sqrt((weights**2) @ (values**2)) + weights @ abs(values)
            magnitude[s, h] += roundoff / (2.0**-24 * growth) * rounded
    return value, magnitude


def decoded(cache, scale, kind):
    return cache if kind == "auto" else cache.view(torch.float8_e4m3fn).to(torch.float64) * scale


def paged_attention_v2(out, exp_sum, max_logits, tmp_out, query, key_cache, value_cache, num_kv_heads, scale,
                       block_tables, seq_lens, block_size, max_seq_len, alibi_slopes, kv_cache_dtype, k_scale, v_scale,
                       *sparse, dtypes):
    keys, values = decoded(key_cache, k_scale, kv_cache_dtype), decoded(value_cache, v_scale, kv_cache_dtype)
    value, magnitude = attended(query, keys, values, num_kv_heads, scale, block_tables, seq_lens, alibi_slopes,
                                4 * math.sqrt(max_seq_len) + 4, ROUNDOFF[dtypes["query"]])
    free = {"exp_sum": exp_sum, "max_logits": max_logits, "tmp_out": tmp_out}  # the implementation's own
    return {"out": Expected(value, magnitude=magnitude)} | {k: Expected(v, rule="skip") for k, v in free.items()}
