# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::reshape_and_cache_flash: a program moves a block of one token's keys and values."""
import triton
import triton.language as tl


@triton.jit
def e4m3_code(x):
    """The code of e4m3 nearest to x (f32), ties to even, saturated; in integers, so that it runs on every target."""
    sign = (x.to(tl.uint32, bitcast=True) >> 24) & 0x80
    size = tl.minimum(tl.abs(x), 448.0)
    bits = size.to(tl.uint32, bitcast=True)
    normal = ((bits + 0x7FFFF + ((bits >> 20) & 1)) >> 20) - 960  # 20 bits rounded away; exponents biased by 7, not 127
    # f32 numbers next to 2^14 are 2^-9 apart, as e4m3's subnormals are: the sum rounds to them.
    small = (size + 16384.0).to(tl.uint32, bitcast=True) - 0x46800000
    code = tl.where(size < 0.015625, small, normal)
    return (tl.where(x != x, 0x7F, code) | sign).to(tl.uint8)


@triton.jit
def cache_kernel(key, value, key_cache, value_cache, slots, k_scale, v_scale, width, head, block_size, key_token,
                 value_token, k_block, k_slot, k_head, v_block, v_slot, v_head, FP8: tl.constexpr,
                 BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slots + token)
    if slot >= 0:
        i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        inside = i < width
        block = slot // block_size
        offset = slot % block_size
        k = tl.load(key + token * key_token + i, mask=inside)
        v = tl.load(value + token * value_token + i, mask=inside)
        if FP8:
            k = e4m3_code(tl.div_rn(k.to(tl.float32), tl.full([BLOCK], tl.load(k_scale), tl.float32)))
            v = e4m3_code(tl.div_rn(v.to(tl.float32), tl.full([BLOCK], tl.load(v_scale), tl.float32)))
        tl.store(key_cache + block * k_block + offset * k_slot + (i // head) * k_head + i % head, k, mask=inside)
        tl.store(value_cache + block * v_block + offset * v_slot + (i // head) * v_head + i % head, v, mask=inside)


def reshape_and_cache_flash(key, value, key_cache, value_cache, slot_mapping, kv_cache_dtype, k_scale, v_scale):
    tokens, (_, heads, head) = slot_mapping.shape[0], key.shape
    if tokens == 0:
        return
    width = heads * head
    block = min(1024, triton.next_power_of_2(width))
    cache_kernel[(tokens, triton.cdiv(width, block))](
        key, value, key_cache, value_cache, slot_mapping, k_scale, v_scale, width, head, key_cache.shape[1],
        key.stride(0), value.stride(0), *key_cache.stride()[:3], *value_cache.stride()[:3],
        FP8=kv_cache_dtype != "auto", BLOCK=block)
