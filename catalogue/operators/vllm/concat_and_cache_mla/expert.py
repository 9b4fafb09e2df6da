# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::concat_and_cache_mla: a program writes a block of one token's cache entry."""
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
def concat_kernel(cache, kv_c, k_pe, slots, scale, split, width, block_size, c_row, pe_row, cache_block, cache_slot,
                  FP8: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    slot = tl.load(slots + token)
    if slot >= 0:
        i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        left = i < split
        x = tl.load(kv_c + token * c_row + i, mask=left, other=0)
        right = tl.load(k_pe + token * pe_row + i - split, mask=(i >= split) & (i < width), other=0)
        x = tl.where(left, x, right)
        if FP8:
            x = e4m3_code(tl.div_rn(x.to(tl.float32), tl.full([BLOCK], tl.load(scale), tl.float32)))
        at = cache + slot // block_size * cache_block + slot % block_size * cache_slot + i
        tl.store(at, x, mask=i < width)


def concat_and_cache_mla(kv_c, k_pe, kv_cache, slot_mapping, kv_cache_dtype, scale):
    tokens, width = slot_mapping.shape[0], kv_cache.shape[2]
    if tokens == 0:
        return
    block = min(1024, triton.next_power_of_2(width))
    concat_kernel[(tokens, triton.cdiv(width, block))](
        kv_cache, kv_c, k_pe, slot_mapping, scale, kv_c.shape[1], width, kv_cache.shape[1], kv_c.stride(0),
        k_pe.stride(0), kv_cache.stride(0), kv_cache.stride(1), FP8=kv_cache_dtype != "auto", BLOCK=block)
