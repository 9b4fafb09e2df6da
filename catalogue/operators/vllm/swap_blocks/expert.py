# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::swap_blocks: a program owns one piece of every block and goes through the pairs in order."""
import triton
import triton.language as tl


@triton.jit
def swap_kernel(dst, src, mapping, pairs, width, dst_block, src_block, pair_stride, side_stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for pair in range(pairs):  # in order: of two pairs with one destination the later wins
        source = tl.load(mapping + pair * pair_stride)
        destination = tl.load(mapping + pair * pair_stride + side_stride)
        tl.store(dst + destination * dst_block + i, tl.load(src + source * src_block + i, mask=i < width),
                 mask=i < width)


def swap_blocks(src, dst, block_mapping):
    pairs = block_mapping.shape[0]
    if pairs == 0:
        return
    width = src[0].numel()
    block = min(1024, triton.next_power_of_2(width))
    swap_kernel[(triton.cdiv(width, block),)](
        dst, src, block_mapping, pairs, width, dst.stride(0), src.stride(0), *block_mapping.stride(), BLOCK=block)
