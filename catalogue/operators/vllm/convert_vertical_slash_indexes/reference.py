# SPDX-License-Identifier: Apache-2.0
"""For a block of rows: key blocks that some slash crosses, and verticals outside of them; both walked in order."""
import torch

from kgbench.oracle import Expected


def walk(vertical, slash, end, kv, m, n):
    """(blocks, columns) of the rows that end before `end`, which counts from the first key of the diagonal."""
    blocks, columns, v, s = [], [], 0, 0

    def save(low, high):
        blocks.extend(range(low, min(high, kv), n))

    while slash[s] >= end and s + 1 < len(slash):  # slashes that lie beyond these rows
        s += 1
    if slash[s] > end:  # all of them
        low, high = end, end + n
    else:
        high = max(end - slash[s], m)
        low = high - m
    while True:
        column = vertical[v] if v < len(vertical) else end + n
        if column < high:
            if column < low:
                columns.append(column)
            v += 1
        elif s + 1 < len(slash):
            s += 1
            reach = max(end - slash[s], m)
            if reach > high + m:
                save(low, high)
                low, high = reach - m, reach
            elif reach > high:
                high += m
        else:
            save(low, high)
            return blocks, columns


def convert_vertical_slash_indexes(q_seqlens, kv_seqlens, vertical_indexes, slash_indexes, context_size, block_size_M,
                                   block_size_N, causal=True):
    batch, heads, nv = vertical_indexes.shape
    rows, ns = -(-context_size // block_size_M), slash_indexes.shape[2]
    block_count, column_count = (torch.zeros((batch, heads, rows), dtype=torch.int64) for _ in range(2))
    block_offset = torch.zeros((batch, heads, rows, ns), dtype=torch.int64)
    column_index = torch.zeros((batch, heads, rows, nv), dtype=torch.int64)
    for b in range(batch):
        q, kv = int(q_seqlens[b]), int(kv_seqlens[b])
        for h in range(heads):
            lines = vertical_indexes[b, h].tolist(), slash_indexes[b, h].tolist()
            for r in range(-(-q // block_size_M)):
                end = (r + 1) * block_size_M + kv - q
                blocks, columns = walk(*lines, end, kv, block_size_M, block_size_N)
                block_count[b, h, r], column_count[b, h, r] = len(blocks), len(columns)
                block_offset[b, h, r, : len(blocks)] = torch.tensor(blocks, dtype=torch.int64)
                column_index[b, h, r, : len(columns)] = torch.tensor(columns, dtype=torch.int64)
    return tuple(Expected(x, dtype=torch.int32) for x in (block_count, block_offset, column_count, column_index))
