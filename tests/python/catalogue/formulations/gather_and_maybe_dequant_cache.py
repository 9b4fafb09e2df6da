# SPDX-License-Identifier: Apache-2.0
"""Token by token; codes of e4m3 by their fields."""
import torch


def decoded(code):
    sign = -1.0 if code >= 128 else 1.0
    exponent, mantissa = code % 128 // 8, code % 8
    return sign * (mantissa * 2.0**-9 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7))


CODES = torch.tensor([decoded(c) for c in range(256)], dtype=torch.float64)


def answer(entry, src_cache, dst, block_table, cu_seq_lens, token_to_seq, num_tokens, kv_cache_dtype, scale,
           seq_starts):
    rows = [row.to(torch.float64) for row in dst]
    for t in range(num_tokens):
        i = int(token_to_seq[t])
        block, offset = divmod(t - int(cu_seq_lens[i]) + (0 if seq_starts is None else int(seq_starts[i])),
                               src_cache.shape[1])
        row = src_cache[int(block_table[i, block]), offset]
        rows[t] = row.to(torch.float64) if kv_cache_dtype == "auto" else CODES[row.long()] * scale.item()
    return {"dst": torch.stack(rows) if rows else dst.to(torch.float64)}
