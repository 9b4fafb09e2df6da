# SPDX-License-Identifier: Apache-2.0
"""dst[t] = the cache entry at position t - cu[i] + start_i of sequence i = token_to_seq[t], times scale from e4m3."""
import torch


def gather_and_maybe_dequant_cache(src_cache, dst, block_table, cu_seq_lens, token_to_seq, num_tokens, kv_cache_dtype,
                                   scale, seq_starts=None):
    out, size = dst.clone(), src_cache.shape[1]
    if kv_cache_dtype != "auto":  # bytes are codes of e4m3
        src_cache = src_cache.contiguous().view(torch.float8_e4m3fn).to(torch.float64) * scale
    t = torch.arange(num_tokens)
    i = token_to_seq[:num_tokens].to(int)
    at = t - cu_seq_lens[i] + (0 if seq_starts is None else seq_starts[i])
    out[:num_tokens] = src_cache[block_table[i, at // size].to(int), at % size].reshape(out[:num_tokens].shape)
    return {"dst": out}
