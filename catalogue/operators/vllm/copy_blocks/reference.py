# SPDX-License-Identifier: Apache-2.0
"""For each pair (source, destination) the whole block is copied, in every layer's keys and values."""


def copy_blocks(key_caches, value_caches, block_mapping):
    result = {}
    for name, caches in (("key_caches", key_caches), ("value_caches", value_caches)):
        for layer, cache in enumerate(caches):
            copied = cache.clone()
            copied[block_mapping[:, 1]] = cache[block_mapping[:, 0]]
            result[f"{name}[{layer}]"] = copied
    return result
