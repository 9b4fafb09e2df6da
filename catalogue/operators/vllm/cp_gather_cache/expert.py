# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::cp_gather_cache: a program moves a few tokens of one sequence."""
import triton
import triton.language as tl


@triton.jit
def gather_kernel(dst, src, table, cu_seq_lens, seq_starts, block_size, width, dst_row, src_block, src_row, table_row,
                  table_step, HAS_STARTS: tl.constexpr, TOKENS: tl.constexpr, BLOCK: tl.constexpr):
    sequence = tl.program_id(0)
    first = tl.load(cu_seq_lens + sequence).to(tl.int64)
    length = tl.load(cu_seq_lens + sequence + 1) - first
    position = tl.program_id(1) * TOKENS + tl.arange(0, TOKENS)
    live = position < length
    at = position
    if HAS_STARTS:
        at += tl.load(seq_starts + sequence)
    block = tl.load(table + sequence * table_row + at // block_size * table_step, mask=live, other=0).to(tl.int64)
    source = src + block * src_block + at % block_size * src_row
    i = (tl.program_id(2) * BLOCK + tl.arange(0, BLOCK))[None, :]
    inside = live[:, None] & (i < width)
    tl.store(dst + ((first + position) * dst_row)[:, None] + i, tl.load(source[:, None] + i, mask=inside), mask=inside)


def cp_gather_cache(src_cache, dst, block_table, cu_seq_lens, batch_size, seq_starts=None):
    if dst.numel() == 0 or batch_size == 0:
        return
    width = dst[0].numel()
    block = min(1024, triton.next_power_of_2(width))
    # No sequence is longer than dst has rows; programs beyond a sequence's end have nothing to do.
    gather_kernel[(batch_size, triton.cdiv(dst.shape[0], 8), triton.cdiv(width, block))](
        dst, src_cache, block_table, cu_seq_lens, cu_seq_lens if seq_starts is None else seq_starts,
        src_cache.shape[1], width, dst.stride(0), src_cache.stride(0), src_cache.stride(1), *block_table.stride(),
        HAS_STARTS=seq_starts is not None, TOKENS=8, BLOCK=block)
