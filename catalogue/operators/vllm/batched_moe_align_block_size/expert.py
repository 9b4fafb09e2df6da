# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::batched_moe_align_block_size: each place asks how many segments end before it."""
import triton
import triton.language as tl


@triton.jit
def align_kernel(order, blocks, total, counts, length, n_blocks, experts, most, block_size, EXPERTS: tl.constexpr,
                 BLOCK: tl.constexpr):
    e = tl.arange(0, EXPERTS)
    count = tl.load(counts + e, mask=e < experts, other=0)
    padded = (count + block_size - 1) // block_size * block_size
    ends = tl.cumsum(padded, 0)
    everything = tl.sum(padded, 0)
    if tl.program_id(0) == 0:
        tl.store(total, everything)

    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    before = ends[None, :] <= i[:, None]  # segments that end before the place
    owner = tl.sum(before.to(tl.int32), 1)
    place = i - tl.sum(tl.where(before, padded[None, :], 0), 1)  # within the owner's segment
    own = tl.sum(tl.where(e[None, :] == owner[:, None], count[None, :], 0), 1)
    row = tl.where((i < everything) & (place < own), owner * most + place, experts * most)
    tl.store(order + i, row, mask=i < length)

    first = i * block_size
    owner = tl.sum((ends[None, :] <= first[:, None]).to(tl.int32), 1)
    tl.store(blocks + i, tl.where(first < everything, owner, -1), mask=i < n_blocks)


def batched_moe_align_block_size(max_tokens_per_batch, block_size, expert_num_tokens, sorted_ids, expert_ids,
                                 num_tokens_post_pad):
    length, experts = sorted_ids.numel(), expert_num_tokens.numel()
    align_kernel[(triton.cdiv(length, 64),)](
        sorted_ids, expert_ids, num_tokens_post_pad, expert_num_tokens, length, expert_ids.numel(), experts,
        max_tokens_per_batch, block_size, EXPERTS=triton.next_power_of_2(experts), BLOCK=64)
