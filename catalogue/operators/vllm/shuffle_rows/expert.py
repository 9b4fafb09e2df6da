# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::shuffle_rows: a program copies one block of columns of several rows."""
import torch
import triton
import triton.language as tl


@triton.jit
def shuffle_kernel(out, x, source_of, rows, columns, x_row, x_step, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = (tl.program_id(1) * BLOCK + tl.arange(0, BLOCK))[None, :]
    source = tl.load(source_of + row, mask=row < rows, other=0).to(tl.int64)
    inside = (row < rows)[:, None] & (column < columns)
    tl.store(out + row[:, None] * columns + column,
             tl.load(x + source[:, None] * x_row + column * x_step, mask=inside), mask=inside)


def shuffle_rows(input_tensor, dst2src_map):
    rows, columns = dst2src_map.shape[0], input_tensor.shape[1]
    out = torch.empty((rows, columns), dtype=input_tensor.dtype, device=input_tensor.device)
    if out.numel() == 0:
        return out
    block = min(1024, triton.next_power_of_2(columns))
    tile = min(triton.next_power_of_2(rows), max(1, 2048 // block))
    shuffle_kernel[(triton.cdiv(rows, tile), triton.cdiv(columns, block))](
        out, input_tensor, dst2src_map, rows, columns, *input_tensor.stride(), ROWS=tile, BLOCK=block)
    return out
