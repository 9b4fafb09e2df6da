# SPDX-License-Identifier: Apache-2.0
"""Block by block, for every destination the block that its pair names."""
import torch


def copied(cache, pairs):
    source = dict((dst, src) for src, dst in pairs)
    wide = cache.to(torch.float64) if cache.is_floating_point() else cache
    return torch.stack([wide[source.get(block, block)] for block in range(len(wide))])


def answer(entry, key_caches, value_caches, block_mapping):
    pairs = block_mapping.tolist()
    found = {f"key_caches[{i}]": copied(cache, pairs) for i, cache in enumerate(key_caches)}
    return found | {f"value_caches[{i}]": copied(cache, pairs) for i, cache in enumerate(value_caches)}
