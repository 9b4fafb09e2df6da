# SPDX-License-Identifier: Apache-2.0
"""For each pair (source, destination) the whole block is copied, in every layer."""


def copy_blocks_mla(kv_caches, block_mapping):
    result = {}
    for layer, cache in enumerate(kv_caches):
        copied = cache.clone()
        copied[block_mapping[:, 1]] = cache[block_mapping[:, 0]]
        result[f"kv_caches[{layer}]"] = copied
    return result
