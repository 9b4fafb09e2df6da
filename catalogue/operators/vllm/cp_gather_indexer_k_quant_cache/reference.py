# SPDX-License-Identifier: Apache-2.0
"""A block holds the keys of all its tokens, then all their scales; tokens find theirs by their sequence's blocks."""


def cp_gather_indexer_k_quant_cache(kv_cache, dst_k, dst_scale, block_table, cu_seq_lens):
    keys, scales = dst_k.clone(), dst_scale.clone()
    blocks, size, _ = kv_cache.shape
    head, scale = keys.shape[1], scales.shape[1]
    flat = kv_cache.reshape(blocks, -1)
    cached_keys = flat[:, : size * head].reshape(blocks, size, head)
    cached_scales = flat[:, size * head : size * (head + scale)].reshape(blocks, size, scale)
    cu = cu_seq_lens.tolist()
    for i, table in enumerate(block_table.tolist()):
        for p in range(cu[i + 1] - cu[i]):
            keys[cu[i] + p] = cached_keys[table[p // size], p % size]
            scales[cu[i] + p] = cached_scales[table[p // size], p % size]
    return {"dst_k": keys, "dst_scale": scales}
