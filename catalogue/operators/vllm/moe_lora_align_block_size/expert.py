# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::moe_lora_align_block_size: count, lay out, scatter, for all adapters at once; slice `lora` of
the outputs is that of the adapter with this number, wherever it is listed."""
import torch
import triton
import triton.language as tl


@triton.jit
def expert_of(ids, owners, expert_map, lora, i, inside, columns, row_stride, step, MAPPED: tl.constexpr):
    """The local expert of flat index i, or -1 where another adapter or another rank has the token."""
    expert = tl.load(ids + i // columns * row_stride + i % columns * step, mask=inside, other=0).to(tl.int32)
    if MAPPED:
        expert = tl.load(expert_map + expert, mask=inside, other=-1)
    owner = tl.load(owners + i // columns, mask=inside, other=-1)
    return tl.where(inside & (owner == lora), expert, -1)


@triton.jit
def active(loras, enabled, i):
    lora = tl.load(loras + i)
    return lora, (lora >= 0) & (tl.load(enabled + tl.maximum(lora, 0)) != 0)


@triton.jit
def count_kernel(counts, loras, enabled, experts, ids, owners, expert_map, numel, columns, row_stride, step,
                 MAPPED: tl.constexpr, BLOCK: tl.constexpr):
    lora, listed = active(loras, enabled, tl.program_id(1))
    if listed:
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        expert = expert_of(ids, owners, expert_map, lora, i, i < numel, columns, row_stride, step, MAPPED)
        tl.atomic_add(counts + tl.program_id(1) * experts + expert, 1, mask=expert >= 0)


@triton.jit
def layout_kernel(order, blocks, total, cursors, counts, loras, enabled, numel, length, n_blocks, experts, block_size,
                  EXPERTS: tl.constexpr, BLOCK: tl.constexpr):
    adapter = tl.program_id(1)
    lora, listed = active(loras, enabled, adapter)
    if listed:
        e = tl.arange(0, EXPERTS)
        count = tl.load(counts + adapter * experts + e, mask=e < experts, other=0)
        padded = (count + block_size - 1) // block_size * block_size
        ends = tl.cumsum(padded, 0)
        everything = tl.sum(padded, 0)
        if tl.program_id(0) == 0:
            tl.store(total + lora, everything)
            tl.store(cursors + adapter * experts + e, ends - padded, mask=e < experts)
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(order + lora * length + i, numel + i * 0, mask=i < length)
        first = i * block_size
        owner = tl.sum((ends[None, :] <= first[:, None]).to(tl.int32), 1)
        tl.store(blocks + lora * n_blocks + i, tl.where(first < everything, owner, -1), mask=i < n_blocks)


@triton.jit
def scatter_kernel(order, cursors, loras, enabled, length, experts, ids, owners, expert_map, numel, columns,
                   row_stride, step, MAPPED: tl.constexpr, BLOCK: tl.constexpr):
    adapter = tl.program_id(1)
    lora, listed = active(loras, enabled, adapter)
    if listed:
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        expert = expert_of(ids, owners, expert_map, lora, i, i < numel, columns, row_stride, step, MAPPED)
        place = tl.atomic_add(cursors + adapter * experts + expert, 1, mask=expert >= 0)
        tl.store(order + lora * length + place, i, mask=expert >= 0)


def moe_lora_align_block_size(topk_ids, token_lora_mapping, num_experts, block_size, max_loras, max_num_tokens_padded,
                              max_num_m_blocks, sorted_token_ids, experts_ids, num_tokens_post_pad, adapter_enabled,
                              lora_ids, expert_map=None):
    numel, columns = topk_ids.numel(), topk_ids.shape[1]
    counts = torch.zeros(max_loras * num_experts, dtype=torch.int32, device=topk_ids.device)
    cursors = torch.empty(max_loras * num_experts, dtype=torch.int32, device=topk_ids.device)
    mapped = expert_map is not None
    ids = (topk_ids, token_lora_mapping, expert_map if mapped else counts, numel, columns, *topk_ids.stride())
    grid = (triton.cdiv(numel, 256), max_loras)
    count_kernel[grid](counts, lora_ids, adapter_enabled, num_experts, *ids, MAPPED=mapped, BLOCK=256)
    layout_kernel[(triton.cdiv(max(max_num_tokens_padded, max_num_m_blocks), 128), max_loras)](
        sorted_token_ids, experts_ids, num_tokens_post_pad, cursors, counts, lora_ids, adapter_enabled, numel,
        max_num_tokens_padded, max_num_m_blocks, num_experts, block_size,
        EXPERTS=triton.next_power_of_2(num_experts), BLOCK=128)
    scatter_kernel[grid](sorted_token_ids, cursors, lora_ids, adapter_enabled, max_num_tokens_padded, num_experts,
                         *ids, MAPPED=mapped, BLOCK=256)
