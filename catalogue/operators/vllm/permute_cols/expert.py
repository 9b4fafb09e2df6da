# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::permute_cols: a program gathers one block of columns of several rows."""
import torch
import triton
import triton.language as tl


@triton.jit
def permute_kernel(out, a, perm, rows, columns, a_row, a_step, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    source = tl.load(perm + column, mask=column < columns, other=0).to(tl.int64)
    inside = (row < rows) & (column < columns)[None, :]
    tl.store(out + row * columns + column[None, :],
             tl.load(a + row * a_row + source[None, :] * a_step, mask=inside), mask=inside)


def permute_cols(a, perm):
    out = torch.empty(a.shape, dtype=a.dtype, device=a.device)
    rows, columns = a.shape
    if out.numel() == 0:
        return out
    block = min(8192, triton.next_power_of_2(columns))  # a whole row, mostly: the gather stays within it
    tile = min(triton.next_power_of_2(rows), max(1, 2048 // block))
    permute_kernel[(triton.cdiv(rows, tile), triton.cdiv(columns, block))](
        out, a, perm, rows, columns, *a.stride(), ROWS=tile, BLOCK=block)
    return out
