# SPDX-License-Identifier: Apache-2.0
"""dst[cu[i] + p] = src[block_table[i, (p + start_i) // size], (p + start_i) % size] for positions p of sequence i."""
import torch


def cp_gather_cache(src_cache, dst, block_table, cu_seq_lens, batch_size, seq_starts=None):
    out, size = dst.clone(), src_cache.shape[1]
    for i in range(batch_size):
        first, last = int(cu_seq_lens[i]), int(cu_seq_lens[i + 1])
        at = torch.arange(last - first) + (0 if seq_starts is None else int(seq_starts[i]))
        out[first:last] = src_cache[block_table[i].to(int)[at // size], at % size]
    return {"dst": out}
