# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::mean: tiles of rows by reduced elements; a second pass finishes long reductions."""
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
def mean_kernel(out, x, rows, n, part, row_shape, out_strides, row_strides, red_shape, red_strides, out_part_stride,
                count, CAST: tl.constexpr, COMPUTE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Adds elements [p * part, (p + 1) * part) of each row, p = program_id(1), and divides by count (1: a part)."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    begin = tl.program_id(1).to(tl.int64) * part
    end = min(begin + part, n)
    at_row = offsets(row, row_shape, row_strides)[:, None]
    lane = tl.arange(0, COLS).to(tl.int64)
    acc = tl.zeros([ROWS, COLS], COMPUTE)
    for start in range(begin, end, COLS):
        element = start + lane
        inside = (row < rows)[:, None] & (element < end)[None, :]
        tile = tl.load(x + at_row + offsets(element, red_shape, red_strides)[None, :], mask=inside, other=0)
        acc += tile.to(CAST).to(COMPUTE)  # CAST: the type that the caller asks to sum in
    total = tl.sum(acc, 1) / count  # of no elements: 0 / 0, NaN as it should be
    at_out = offsets(row, row_shape, out_strides) + tl.program_id(1) * out_part_stride
    tl.store(out + at_out, total.to(out.dtype.element_ty), mask=row < rows)


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


TRITON = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16, torch.float32: tl.float32, torch.float64: tl.float64}


def reduce(out, x, kept, reduced, cast, compute):
    """out[kept] = mean of x over the dimensions `reduced`; out is addressed as if the reduced dimensions had size 1."""
    sizes = [x.shape[d] for d in kept]
    row_shape, out_strides, row_strides = collapse(sizes, [out.stride(d) for d in kept], [x.stride(d) for d in kept])
    red_shape, red_strides = collapse([x.shape[d] for d in reduced], [x.stride(d) for d in reduced])
    rows = out.numel()
    n = x.numel() // rows if x.numel() else 0

    # Neighbouring rows share a tile when they are neighbours in memory or when a row is short.
    cols = min(1024, triton.next_power_of_2(max(n, 1)))
    tall = 32 if row_strides[-1] == 1 and row_shape[-1] > 1 else 1
    tile_rows = min(triton.next_power_of_2(rows), max(tall, 1024 // cols))
    cols = max(1, min(cols, 4096 // tile_rows))
    row_tiles = triton.cdiv(rows, tile_rows)
    # A long reduction over few rows would leave the device idle: cut it into parts of at least 16 tiles.
    parts = max(1, min(n // (16 * cols), 512 // row_tiles))
    part = triton.cdiv(triton.cdiv(n, parts), cols) * cols if n else 1
    parts = max(1, triton.cdiv(n, part))
    if parts == 1:
        mean_kernel[(row_tiles, 1)](out, x, rows, n, part, row_shape, out_strides, row_strides, red_shape, red_strides,
                                    0, n, CAST=cast, COMPUTE=compute, ROWS=tile_rows, COLS=cols)
        return
    partial = torch.empty((rows, parts), dtype=torch.float64 if compute == tl.float64 else torch.float32,
                          device=x.device)
    packed = []
    for d in reversed(range(len(row_shape))):  # strides of the partial sums for the same walk over rows
        packed.insert(0, parts if not packed else packed[0] * row_shape[d + 1])
    mean_kernel[(row_tiles, parts)](partial, x, rows, n, part, row_shape, tuple(packed), row_strides, red_shape,
                                    red_strides, 1, 1, CAST=cast, COMPUTE=compute, ROWS=tile_rows, COLS=cols)
    cols = min(1024, triton.next_power_of_2(parts))
    mean_kernel[(rows, 1)](out, partial, rows, parts, parts, row_shape, out_strides, tuple(packed), (parts,), (1,), 0,
                           n, CAST=compute, COMPUTE=compute, ROWS=1, COLS=cols)


def launch(self, dim, keepdim, dtype, out):
    rank = self.dim()
    dims = range(rank) if dim is None or len(dim) == 0 else sorted({d % max(rank, 1) for d in dim})
    reduced = [d for d in dims if d < rank]
    kept = [d for d in range(rank) if d not in reduced]
    if dtype is None:
        dtype = out.dtype if out is not None else self.dtype
    full = [1 if d in reduced else n for d, n in enumerate(self.shape)]
    if out is None:
        result = torch.empty(full, dtype=dtype, device=self.device)
    else:
        result = out if keepdim else unsqueezed(out, reduced)
    if result.numel():
        compute = tl.float64 if dtype == torch.float64 else tl.float32
        reduce(result, self, kept, reduced, TRITON[dtype], compute)
    if out is not None:
        return out
    return result if keepdim else result.view([self.shape[d] for d in kept])


def unsqueezed(out, reduced):
    for d in reduced:
        out = out.unsqueeze(d)
    return out


def mean(self, *, dtype=None):
    return launch(self, None, False, dtype, None)


def mean_dim(self, dim, keepdim=False, *, dtype=None):
    return launch(self, dim, keepdim, dtype, None)


def mean_out(self, dim, keepdim=False, *, dtype=None, out):
    return launch(self, dim, keepdim, dtype, out)
