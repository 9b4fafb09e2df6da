# SPDX-License-Identifier: Apache-2.0
"""Token t goes to block slot // block_size, offset slot % block_size; a negative slot is padding."""
import torch

from kgbench.oracle import round_to


def stored(x, scale, kind):
    """As the cache holds it: the value itself, or the e4m3 code of x / scale, saturated, as a byte."""
    if kind == "auto":
        return x
    code = round_to((x / scale).clamp(-448, 448), torch.float8_e4m3fn)
    return code.to(torch.float32).to(torch.float8_e4m3fn).view(torch.uint8)


def reshape_and_cache(key, value, key_cache, value_cache, slot_mapping, kv_cache_dtype, k_scale, v_scale):
    keys, values = key_cache.clone(), value_cache.clone()
    blocks, heads, parts, size, x = keys.shape
    k, v = stored(key, k_scale, kv_cache_dtype), stored(value, v_scale, kv_cache_dtype)
    for t, slot in enumerate(slot_mapping.tolist()):
        if slot >= 0:
            keys[slot // size, :, :, slot % size, :] = k[t].reshape(heads, parts, x)
            values[slot // size, :, :, slot % size] = v[t]
    return {"key_cache": keys, "value_cache": values}
