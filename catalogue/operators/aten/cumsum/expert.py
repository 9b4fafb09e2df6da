# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::cumsum: one scan per row; long rows in blocks that learn what lies before them."""
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
def block_sum_kernel(sums, x, rows, n, shape, x_strides, x_step,
                     CAST: tl.constexpr, COMPUTE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """sums[row, block] = sum of that block of x."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    lane = tl.program_id(1).to(tl.int64) * COLS + tl.arange(0, COLS)
    inside = (row < rows)[:, None] & (lane < n)[None, :]
    tile = tl.load(x + offsets(row, shape, x_strides)[:, None] + lane[None, :] * x_step, mask=inside, other=0)
    total = tl.sum(tile.to(CAST).to(COMPUTE), 1)
    tl.store(sums + row * tl.num_programs(1) + tl.program_id(1), total, mask=row < rows)


@triton.jit
def scan_kernel(out, x, before, rows, n, shape, out_strides, x_strides, out_step, x_step, CAST: tl.constexpr,
                COMPUTE: tl.constexpr, HAS_BEFORE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Inclusive scan of one block of each row; before[row, block] is the inclusive scan of the blocks' sums."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    block = tl.program_id(1)
    lane = block.to(tl.int64) * COLS + tl.arange(0, COLS)
    inside = (row < rows)[:, None] & (lane < n)[None, :]
    tile = tl.load(x + offsets(row, shape, x_strides)[:, None] + lane[None, :] * x_step, mask=inside, other=0)
    scan = tl.cumsum(tile.to(CAST).to(COMPUTE), 1)
    if HAS_BEFORE:
        earlier = tl.load(before + row * tl.num_programs(1) + block - 1, mask=(row < rows) & (block > 0), other=0)
        scan += earlier[:, None]
    at = offsets(row, shape, out_strides)[:, None] + lane[None, :] * out_step
    tl.store(out + at, scan.to(out.dtype.element_ty), mask=inside)


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


TRITON = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16, torch.float32: tl.float32, torch.float64: tl.float64,
          torch.bool: tl.int1, torch.uint8: tl.uint8, torch.int8: tl.int8, torch.int16: tl.int16,
          torch.int32: tl.int32, torch.int64: tl.int64}


def scan(out, x, cast, compute, storage):
    """out = inclusive scan of x along the last dimension."""
    n = x.shape[-1]
    rows = x.numel() // n
    shape, out_strides, x_strides = collapse(x.shape[:-1], out.stride()[:-1], x.stride()[:-1])
    cols = min(4096, triton.next_power_of_2(n))
    tile_rows = min(triton.next_power_of_2(rows), max(1, 2048 // cols))
    grid = (triton.cdiv(rows, tile_rows), triton.cdiv(n, cols))
    before = out
    if grid[1] > 1:
        # Blocks of a row run in any order, so their sums are scanned first: by this same function, one level up.
        before = torch.empty((rows, grid[1]), dtype=storage, device=x.device)
        block_sum_kernel[grid](before, x, rows, n, shape, x_strides, x.stride(-1),
                               CAST=cast, COMPUTE=compute, ROWS=tile_rows, COLS=cols)
        sums, before = before, torch.empty_like(before)
        scan(before, sums, compute, compute, storage)
    scan_kernel[grid](out, x, before, rows, n, shape, out_strides, x_strides, out.stride(-1), x.stride(-1),
                      CAST=cast, COMPUTE=compute, HAS_BEFORE=grid[1] > 1, ROWS=tile_rows, COLS=cols)


def launch(self, dim, dtype, out):
    if dtype is None:
        dtype = out.dtype if out is not None else self.dtype if self.dtype.is_floating_point else torch.int64
    if out is None:
        out = torch.empty(self.shape, dtype=dtype, device=self.device)
    if self.numel():
        x, y = (self, out) if self.dim() else (self.view(1), out.view(1))
        if dtype.is_floating_point:
            compute, storage = ((tl.float64, torch.float64) if dtype == torch.float64 else (tl.float32, torch.float32))
        else:
            compute, storage = tl.int64, torch.int64
        scan(y.movedim(dim, -1), x.movedim(dim, -1), TRITON[dtype], compute, storage)
    return out


def cumsum(self, dim, *, dtype=None):
    return launch(self, dim, dtype, None)


def cumsum_out(self, dim, *, dtype=None, out):
    return launch(self, dim, dtype, out)
