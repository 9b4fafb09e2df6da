# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::moe_align_block_size: count, lay the segments out, fill with padding, scatter."""
import torch
import triton
import triton.language as tl


@triton.jit
def expert_of(ids, expert_map, i, inside, columns, row_stride, step, MAPPED: tl.constexpr):
    expert = tl.load(ids + i // columns * row_stride + i % columns * step, mask=inside, other=0).to(tl.int32)
    if MAPPED:
        expert = tl.load(expert_map + expert, mask=inside, other=-1)
    return expert


@triton.jit
def count_kernel(counts, ids, expert_map, numel, columns, row_stride, step, MAPPED: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    expert = expert_of(ids, expert_map, i, i < numel, columns, row_stride, step, MAPPED)
    tl.atomic_add(counts + expert, 1, mask=(i < numel) & (expert >= 0))


@triton.jit
def layout_kernel(order, blocks, total, cursors, counts, numel, length, n_blocks, experts, block_size,
                  EXPERTS: tl.constexpr, BLOCK: tl.constexpr):
    """Every program works out where the segments end, and fills its part of the outputs."""
    e = tl.arange(0, EXPERTS)
    count = tl.load(counts + e, mask=e < experts, other=0)
    padded = (count + block_size - 1) // block_size * block_size
    ends = tl.cumsum(padded, 0)
    everything = tl.sum(padded, 0)
    if tl.program_id(0) == 0:
        tl.store(total, everything)
        tl.store(cursors + e, ends - padded, mask=e < experts)  # each segment's next free place
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(order + i, numel + i * 0, mask=i < length)
    first = i * block_size
    owner = tl.sum((ends[None, :] <= first[:, None]).to(tl.int32), 1)  # so many segments end before the block
    tl.store(blocks + i, tl.where(first < everything, owner, 0), mask=i < n_blocks)


@triton.jit
def scatter_kernel(order, cursors, ids, expert_map, numel, columns, row_stride, step, MAPPED: tl.constexpr,
                   BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    expert = expert_of(ids, expert_map, i, i < numel, columns, row_stride, step, MAPPED)
    live = (i < numel) & (expert >= 0)
    place = tl.atomic_add(cursors + expert, 1, mask=live)  # the order within a segment is free
    tl.store(order + place, i, mask=live)


def moe_align_block_size(topk_ids, num_experts, block_size, sorted_token_ids, experts_ids, num_tokens_post_pad,
                         expert_map=None):
    numel, columns = topk_ids.numel(), topk_ids.shape[1]
    counts = torch.zeros(num_experts, dtype=torch.int32, device=topk_ids.device)
    cursors = torch.empty(num_experts, dtype=torch.int32, device=topk_ids.device)
    mapped = expert_map is not None
    ids = (topk_ids, expert_map if mapped else counts, numel, columns, *topk_ids.stride())
    grid = (triton.cdiv(numel, 256),)
    count_kernel[grid](counts, *ids, MAPPED=mapped, BLOCK=256)
    length, n_blocks = sorted_token_ids.numel(), experts_ids.numel()
    layout_kernel[(triton.cdiv(max(length, n_blocks), 128),)](
        sorted_token_ids, experts_ids, num_tokens_post_pad, cursors, counts, numel, length, n_blocks, num_experts,
        block_size, EXPERTS=triton.next_power_of_2(num_experts), BLOCK=128)
    scatter_kernel[grid](sorted_token_ids, cursors, *ids, MAPPED=mapped, BLOCK=256)
