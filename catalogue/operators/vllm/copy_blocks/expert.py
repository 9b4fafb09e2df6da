# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::copy_blocks: a program copies one piece of one pair's block, a launch for each cache."""
import triton
import triton.language as tl


@triton.jit
def copy_kernel(cache, mapping, width, block_stride, pair_stride, side_stride, BLOCK: tl.constexpr):
    pair = mapping + tl.program_id(0) * pair_stride
    source = tl.load(pair) * block_stride
    destination = tl.load(pair + side_stride) * block_stride
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    tl.store(cache + destination + i, tl.load(cache + source + i, mask=i < width), mask=i < width)


def copy_blocks(key_caches, value_caches, block_mapping):
    pairs = block_mapping.shape[0]
    for cache in [*key_caches, *value_caches] if pairs else []:
        width = cache[0].numel()
        copy_kernel[(pairs, triton.cdiv(width, 1024))](
            cache, block_mapping, width, cache.stride(0), *block_mapping.stride(), BLOCK=1024)
