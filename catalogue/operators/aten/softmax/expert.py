# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::softmax: tiles of rows, one pass when a row fits a tile and the online form when not."""
import torch
import triton
import triton.language as tl


@triton.jit
def row_offsets(rows, shape, strides):
    """Offset of each row's first element; `shape` and `strides` are of the dimensions that are not reduced."""
    at = rows * 0
    rest = rows
    for d in tl.static_range(len(shape) - 1, 0, -1):
        at += (rest % shape[d]) * strides[d]
        rest = rest // shape[d]
    return at + rest * strides[0]


@triton.jit
def load_tile(x, at, columns, stride, inside, out, COMPUTE: tl.constexpr):
    """A tile in the arithmetic type; padding is -inf, the neutral element of max and, after exp, of the sum."""
    tile = tl.load(x + at + columns * stride, mask=inside, other=0)
    tile = tile.to(out.dtype.element_ty).to(COMPUTE)  # an asked-for narrower type rounds the input first
    return tl.where(inside, tile, float("-inf"))


@triton.jit
def softmax_kernel(out, x, rows, n, shape, out_strides, x_strides, out_step, x_step,
                   COMPUTE: tl.constexpr, ONE_PASS: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at_x = row_offsets(row, shape, x_strides)[:, None]
    at_out = row_offsets(row, shape, out_strides)[:, None]
    live = (row < rows)[:, None]
    lane = tl.arange(0, COLS).to(tl.int64)[None, :]
    if ONE_PASS:
        inside = live & (lane < n)
        tile = load_tile(x, at_x, lane, x_step, inside, out, COMPUTE)
        weight = tl.exp(tile - tl.max(tile, 1)[:, None])
        # Padding lanes weigh nothing, except in rows that are -inf throughout, which are NaN anyway.
        result = weight / tl.sum(weight, 1)[:, None]
        tl.store(out + at_out + lane * out_step, result.to(out.dtype.element_ty), mask=inside)
    else:
        top = tl.full([ROWS], float("-inf"), COMPUTE)
        total = tl.full([ROWS], 0.0, COMPUTE)
        for start in range(0, n, COLS):
            inside = live & (start + lane < n)
            tile = load_tile(x, at_x, start + lane, x_step, inside, out, COMPUTE)
            new_top = tl.maximum(top, tl.max(tile, 1))
            # While everything seen is -inf the weights must be 0, not e^(-inf + inf).
            base = tl.where(new_top == float("-inf"), 0.0, new_top)
            total = total * tl.exp(top - base) + tl.sum(tl.exp(tile - base[:, None]), 1)
            top = new_top
        for start in range(0, n, COLS):
            inside = live & (start + lane < n)
            tile = load_tile(x, at_x, start + lane, x_step, inside, out, COMPUTE)
            result = tl.exp(tile - top[:, None]) / total[:, None]
            tl.store(out + at_out + (start + lane) * out_step, result.to(out.dtype.element_ty), mask=inside)


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


def launch(self, dim, dtype, out):
    if out is None:
        out = torch.empty(self.shape, dtype=dtype or self.dtype, device=self.device)
    if self.numel() == 0:
        return out
    x, y = (self, out) if self.dim() else (self.view(1), out.view(1))
    x, y = x.movedim(dim, -1), y.movedim(dim, -1)  # views: the kernel takes any strides
    n = x.shape[-1]
    rows = x.numel() // n
    shape, y_strides, x_strides = collapse(x.shape[:-1], y.stride()[:-1], x.stride()[:-1])
    one_pass = n <= 8192
    cols = triton.next_power_of_2(n) if one_pass else 4096
    tile_rows = max(1, min(1024 // cols, triton.next_power_of_2(rows)))
    softmax_kernel[(triton.cdiv(rows, tile_rows),)](
        y, x, rows, n, shape, y_strides, x_strides, y.stride(-1), x.stride(-1),
        COMPUTE=tl.float64 if out.dtype == torch.float64 else tl.float32,
        ONE_PASS=one_pass, ROWS=tile_rows, COLS=cols, num_warps=8)
    return out


def softmax(self, dim, dtype=None):
    return launch(self, dim, dtype, None)


def softmax_out(self, dim, dtype=None, *, out):
    return launch(self, dim, dtype, out)
