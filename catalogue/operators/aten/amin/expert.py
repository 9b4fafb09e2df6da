# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::amin: tiles of rows by reduced elements; a second pass finishes long reductions."""
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
def smaller(a, b):
    """The smaller of two, and NaN if either is: NaN is not equal to itself."""
    return tl.where((b < a) | (b != b), b, a)


@triton.jit
def amin_kernel(out, x, rows, n, part, row_shape, out_strides, row_strides, red_shape, red_strides, out_part_stride,
                TOP: tl.constexpr, COMPUTE: tl.constexpr, INDEX: tl.constexpr, ROWS: tl.constexpr,
                COLS: tl.constexpr):
    """Elements [p * part, (p + 1) * part) of each row, p = program_id(1); results lie out_part_stride apart. TOP is
    the largest value there is, with which masked lanes lose."""
    row = tl.program_id(0).to(INDEX) * ROWS + tl.arange(0, ROWS)
    begin = tl.program_id(1).to(INDEX) * part
    end = min(begin + part, n)
    at_row = offsets(row, row_shape, row_strides)[:, None]
    lane = tl.arange(0, COLS).to(INDEX)
    least = tl.full([ROWS, COLS], TOP, COMPUTE)
    for start in range(begin, end, COLS):
        element = start + lane
        inside = (row < rows)[:, None] & (element < end)[None, :]
        tile = tl.load(x + at_row + offsets(element, red_shape, red_strides)[None, :], mask=inside, other=0)
        least = tl.where(inside, smaller(least, tile.to(COMPUTE)), least)
    result = tl.reduce(least, 1, smaller)
    at_out = offsets(row, row_shape, out_strides) + tl.program_id(1) * out_part_stride
    tl.store(out + at_out, result.to(out.dtype.element_ty), mask=row < rows)


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


# Types in which elements are compared without loss.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.bool: tl.int32, torch.uint8: tl.int32, torch.int8: tl.int32,
           torch.int16: tl.int32, torch.int32: tl.int32, torch.int64: tl.int64}


def index_type(*tensors):
    """32 bits where they reach every element: divisions in 64 bits make a kernel long and slow."""
    furthest = max(t.numel() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    return tl.int32 if furthest < 2**31 - 4096 else tl.int64


def reduce(out, x, kept, reduced):
    """out[kept] = least of x over the dimensions `reduced`; out is addressed as if those had size 1."""
    compute = COMPUTE[x.dtype]
    top = float("inf") if x.dtype.is_floating_point else 2**63 - 1 if compute == tl.int64 else 2**31 - 1
    sizes = [x.shape[d] for d in kept]
    row_shape, out_strides, row_strides = collapse(sizes, [out.stride(d) for d in kept], [x.stride(d) for d in kept])
    red_shape, red_strides = collapse([x.shape[d] for d in reduced], [x.stride(d) for d in reduced])
    rows = out.numel()
    n = x.numel() // rows
    # Neighbouring rows share a tile when they are neighbours in memory or when a row is short.
    cols = min(1024, triton.next_power_of_2(n))
    tall = 32 if row_strides[-1] == 1 and row_shape[-1] > 1 else 1
    tile_rows = min(triton.next_power_of_2(rows), max(tall, 1024 // cols))
    cols = max(1, min(cols, 4096 // tile_rows))
    row_tiles = triton.cdiv(rows, tile_rows)
    # A second launch costs as much as some four tiles in a row; beyond that the first one is spread over the device.
    parts = 1 if n <= 4 * cols else max(1, min(triton.cdiv(n, cols), 512 // row_tiles))
    part = triton.cdiv(triton.cdiv(n, parts), cols) * cols
    parts = triton.cdiv(n, part)
    kind = dict(TOP=top, COMPUTE=compute, INDEX=index_type(out, x))
    if parts == 1:
        amin_kernel[(row_tiles, 1)](out, x, rows, n, part, row_shape, out_strides, row_strides, red_shape,
                                    red_strides, 0, ROWS=tile_rows, COLS=cols, **kind)
        return
    partial = torch.empty((rows, parts), dtype=x.dtype, device=x.device)
    packed = []
    for d in reversed(range(len(row_shape))):  # strides of the partial results for the same walk over rows
        packed.insert(0, parts if not packed else packed[0] * row_shape[d + 1])
    amin_kernel[(row_tiles, parts)](partial, x, rows, n, part, row_shape, tuple(packed), row_strides, red_shape,
                                    red_strides, 1, ROWS=tile_rows, COLS=cols, **kind)
    cols = min(1024, triton.next_power_of_2(parts))
    amin_kernel[(rows, 1)](out, partial, rows, parts, parts, row_shape, out_strides, tuple(packed), (parts,), (1,), 0,
                           ROWS=1, COLS=cols, **kind)


def launch(self, dim, keepdim, out):
    rank = self.dim()
    dims = range(rank) if len(dim) == 0 else sorted({d % max(rank, 1) for d in dim})
    reduced = [d for d in dims if d < rank]
    kept = [d for d in range(rank) if d not in reduced]
    full = [1 if d in reduced else n for d, n in enumerate(self.shape)]
    result = torch.empty(full, dtype=self.dtype, device=self.device) if out is None else out
    if out is not None and not keepdim:
        for d in reduced:  # a view in which the reduced dimensions have size 1
            result = result.unsqueeze(d)
    if result.numel():
        reduce(result, self, kept, reduced)
    if out is not None:
        return out
    return result if keepdim else result.view([self.shape[d] for d in kept])


def amin(self, dim=(), keepdim=False):
    return launch(self, dim, keepdim, None)


def amin_out(self, dim=(), keepdim=False, *, out):
    return launch(self, dim, keepdim, out)
