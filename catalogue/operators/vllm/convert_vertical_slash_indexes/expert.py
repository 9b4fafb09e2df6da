# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::convert_vertical_slash_indexes: a program walks both lists for a block of rows."""
import torch
import triton
import triton.language as tl


@triton.jit
def save(offsets, count, low, high, kv, N: tl.constexpr):
    """Appends the blocks of the interval."""
    for x in range(low, tl.minimum(high, kv), N):
        tl.store(offsets + count, x)
        count += 1
    return count


@triton.jit
def walk_kernel(block_count, block_offset, column_count, column_index, q_seqlens, kv_seqlens, vertical, slash, heads,
                nv, ns, M: tl.constexpr, N: tl.constexpr, TAIL: tl.constexpr):
    row = tl.program_id(0)
    line = tl.program_id(1)  # batch and head
    rows = tl.num_programs(0)
    q = tl.load(q_seqlens + line // heads)
    kv = tl.load(kv_seqlens + line // heads)
    vertical += line * nv
    slash += line * ns
    place = line.to(tl.int64) * rows + row
    offsets = block_offset + place * ns
    columns = column_index + place * nv
    n_blocks = 0
    n_columns = 0
    if row * M < q:
        end = (row + 1) * M + kv - q
        s = tl.load(slash)
        taken_s = 1
        while (s >= end) & (taken_s < ns):
            s = tl.load(slash + taken_s)
            taken_s += 1
        beyond = s > end
        high = tl.where(beyond, end + N, tl.maximum(end - s, M))
        low = tl.where(beyond, end, high - M)
        v = tl.load(vertical)
        taken_v = 1
        going = True
        while going:
            if v < high:
                if v < low:
                    tl.store(columns + n_columns, v)
                    n_columns += 1
                v = tl.load(vertical + taken_v, mask=taken_v < nv, other=0)
                v = tl.where(taken_v < nv, v, end + N)  # no more: never below an interval's end
                taken_v += 1
            elif taken_s < ns:
                reach = tl.maximum(end - tl.load(slash + taken_s), M)
                taken_s += 1
                if reach > high + M:
                    n_blocks = save(offsets, n_blocks, low, high, kv, N)
                    low = reach - M
                    high = reach
                elif reach > high:
                    high += M
            else:
                n_blocks = save(offsets, n_blocks, low, high, kv, N)
                going = False
    tl.store(block_count + place, n_blocks)
    tl.store(column_count + place, n_columns)
    i = tl.arange(0, TAIL)  # what is left over is zero
    tl.store(offsets + i, 0, mask=(i >= n_blocks) & (i < ns))
    tl.store(columns + i, 0, mask=(i >= n_columns) & (i < nv))


def convert_vertical_slash_indexes(q_seqlens, kv_seqlens, vertical_indexes, slash_indexes, context_size, block_size_M,
                                   block_size_N, causal=True):
    if not causal:
        raise NotImplementedError("without causal masking")
    batch, heads, nv = vertical_indexes.shape
    ns, rows = slash_indexes.shape[2], triton.cdiv(context_size, block_size_M)
    empty = lambda *shape: torch.empty((batch, heads, rows, *shape), dtype=torch.int32, device=q_seqlens.device)
    block_count, block_offset, column_count, column_index = empty(), empty(ns), empty(), empty(nv)
    walk_kernel[(rows, batch * heads)](
        block_count, block_offset, column_count, column_index, q_seqlens, kv_seqlens, vertical_indexes, slash_indexes,
        heads, nv, ns, M=block_size_M, N=block_size_N, TAIL=triton.next_power_of_2(max(nv, ns)))
    return block_count, block_offset, column_count, column_index
