# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::cp_gather_indexer_k_quant_cache: a program moves a few tokens of one sequence."""
import triton
import triton.language as tl


@triton.jit
def gather_kernel(dst_k, dst_scale, cache, table, cu_seq_lens, block_size, head, scale, k_row, s_row, cache_block,
                  table_row, table_step, TOKENS: tl.constexpr, HEAD: tl.constexpr, SCALE: tl.constexpr):
    sequence = tl.program_id(0)
    first = tl.load(cu_seq_lens + sequence).to(tl.int64)
    length = tl.load(cu_seq_lens + sequence + 1) - first
    position = tl.program_id(1) * TOKENS + tl.arange(0, TOKENS)
    live = position < length
    block = tl.load(table + sequence * table_row + position // block_size * table_step, mask=live, other=0)
    base = cache + block.to(tl.int64) * cache_block
    offset = position % block_size
    row = first + position
    i = tl.arange(0, HEAD)[None, :]
    inside = live[:, None] & (i < head)
    tl.store(dst_k + (row * k_row)[:, None] + i, tl.load((base + offset * head)[:, None] + i, mask=inside), mask=inside)
    # The scales of a block's tokens stand behind all of its keys.
    j = tl.arange(0, SCALE)[None, :]
    inside = live[:, None] & (j < scale)
    at = base + block_size * head + offset * scale
    tl.store(dst_scale + (row * s_row)[:, None] + j, tl.load(at[:, None] + j, mask=inside), mask=inside)


def cp_gather_indexer_k_quant_cache(kv_cache, dst_k, dst_scale, block_table, cu_seq_lens):
    tokens, head = dst_k.shape
    scale = dst_scale.shape[1]
    if tokens == 0 or block_table.shape[0] == 0:
        return
    gather_kernel[(block_table.shape[0], triton.cdiv(tokens, 8))](
        dst_k, dst_scale, kv_cache, block_table, cu_seq_lens, kv_cache.shape[1], head, scale, dst_k.stride(0),
        dst_scale.stride(0), kv_cache.stride(0), *block_table.stride(), TOKENS=8, HEAD=triton.next_power_of_2(head),
        SCALE=triton.next_power_of_2(scale))
