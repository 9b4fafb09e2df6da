# SPDX-License-Identifier: Apache-2.0
"""cache[slot // block_size, slot % block_size] = kv_c[t] beside k_pe[t]; a negative slot is padding."""
import torch

from kgbench.oracle import round_to


def concat_and_cache_mla(kv_c, k_pe, kv_cache, slot_mapping, kv_cache_dtype, scale):
    cache, size = kv_cache.clone(), kv_cache.shape[1]
    rows = torch.cat([kv_c, k_pe], 1)
    if kv_cache_dtype != "auto":
        code = round_to((rows / scale).clamp(-448, 448), torch.float8_e4m3fn)
        rows = code.to(torch.float32).to(torch.float8_e4m3fn).view(torch.uint8)
    for t, slot in enumerate(slot_mapping.tolist()):
        if slot >= 0:
            cache[slot // size, slot % size] = rows[t]
    return {"kv_cache": cache}
