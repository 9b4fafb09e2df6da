# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::embedding: a tile of looked-up rows is copied at a time."""
import torch
import triton
import triton.language as tl


@triton.jit
def offsets(index, shape, strides):
    """Element offsets of linear indices into the dimensions `shape`, which the operand walks with `strides`."""
    at = index * 0
    rest = index
    for d in tl.static_range(len(shape) - 1, 0, -1):
        at += (rest % shape[d]) * strides[d]
        rest = rest // shape[d]
    return at + rest * strides[0]


@triton.jit
def embedding_kernel(out, weight, indices, rows, width, shape, index_strides, out_strides, out_step,
                     weight_row, weight_step, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1).to(tl.int64) * COLS + tl.arange(0, COLS)
    live = row < rows
    chosen = tl.load(indices + offsets(row, shape, index_strides), mask=live, other=0).to(tl.int64)
    inside = live[:, None] & (column < width)[None, :]
    value = tl.load(weight + chosen[:, None] * weight_row + column[None, :] * weight_step, mask=inside)
    tl.store(out + offsets(row, shape, out_strides)[:, None] + column[None, :] * out_step, value, mask=inside)


def collapse(shape, *strides):
    """Drops dimensions of size 1 and merges neighbours that every operand walks as one; never returns rank 0."""
    merged = []
    for size, *steps in zip(shape, *strides):
        if size == 1:
            continue
        if merged and all(p == s * size for p, s in zip(merged[-1][1:], steps)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    columns = zip(*(merged or [[1] * (1 + len(strides))]))
    return [tuple(column) for column in columns]


def launch(weight, indices, out):
    width = weight.shape[1]
    if out is None:
        out = torch.empty((*indices.shape, width), dtype=weight.dtype, device=weight.device)
    if out.numel() == 0:
        return out
    shape, index_strides, out_strides = collapse(indices.shape, indices.stride(), out.stride()[:-1])
    rows = indices.numel()
    cols = min(1024, triton.next_power_of_2(width))
    tile = min(triton.next_power_of_2(rows), max(1, 1024 // cols))
    embedding_kernel[(triton.cdiv(rows, tile), triton.cdiv(width, cols))](
        out, weight, indices, rows, width, shape, index_strides, out_strides, out.stride(-1), *weight.stride(),
        ROWS=tile, COLS=cols)
    return out


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    # The last three arguments concern the gradient alone.
    return launch(weight, indices, None)


def embedding_out(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False, *, out):
    return launch(weight, indices, out)
