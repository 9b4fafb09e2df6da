# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::argmax: reduces (value, index) pairs; the first maximum wins and NaN counts as largest."""
import torch
import triton
import triton.language as tl

NOWHERE = tl.constexpr((1 << 31) - 1)  # an index that loses every tie: beyond any that 32 bits are taken for
FAR = tl.constexpr(1 << 62)  # the same of 64 bits


@triton.jit
def better(value_a, index_a, value_b, index_b):
    """Of two candidates the larger value, NaN above all; among equals the lower index. Associative and commutative."""
    nan_a = value_a != value_a
    nan_b = value_b != value_b
    tie = (value_a == value_b) | (nan_a & nan_b)
    a_wins = (nan_a & ~nan_b) | (~nan_b & (value_a > value_b)) | (tie & (index_a < index_b))
    return tl.where(a_wins, value_a, value_b), tl.where(a_wins, index_a, index_b)


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
def argmax_kernel(out_value, out_index, x, x_index, rows, n, part, row_shape, row_strides, out_strides, red_shape,
                  red_strides, out_part_stride, LOWEST: tl.constexpr, COMPUTE: tl.constexpr, INDEX: tl.constexpr,
                  FIRST: tl.constexpr, LAST: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """Best of elements [p * part, (p + 1) * part) of each row, p = program_id(1). FIRST: x is the input and its
    indices are positions; otherwise x and x_index are results of parts. LAST: only the index is wanted."""
    row = tl.program_id(0).to(INDEX) * ROWS + tl.arange(0, ROWS)
    begin = tl.program_id(1).to(INDEX) * part
    end = min(begin + part, n)
    at_row = offsets(row, row_shape, row_strides)[:, None]
    lane = tl.arange(0, COLS).to(INDEX)
    nowhere: tl.constexpr = NOWHERE if INDEX == tl.int32 else FAR
    best = tl.full([ROWS, COLS], LOWEST, COMPUTE)
    where = tl.full([ROWS, COLS], nowhere, INDEX)
    for start in range(begin, end, COLS):
        element = start + lane
        inside = (row < rows)[:, None] & (element < end)[None, :]
        at = at_row + offsets(element, red_shape, red_strides)[None, :]
        value = tl.load(x + at, mask=inside).to(COMPUTE)
        value = tl.where(inside, value, LOWEST)
        if FIRST:
            index = tl.where(inside, element[None, :], nowhere)
        else:
            index = tl.load(x_index + at, mask=inside, other=nowhere).to(INDEX)
        best, where = better(best, where, value, index)
    best_of_row, where_of_row = tl.reduce((best, where), 1, better)
    at_out = offsets(row, row_shape, out_strides) + tl.program_id(1) * out_part_stride
    tl.store(out_index + at_out, where_of_row, mask=row < rows)
    if not LAST:
        tl.store(out_value + at_out, best_of_row, mask=row < rows)


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


# Type compared in, its storage type, and a value that nothing is below.
FLOAT = (tl.float32, torch.float32, float("-inf"))
COMPUTE = {torch.float16: FLOAT, torch.bfloat16: FLOAT, torch.float32: FLOAT,
           torch.float64: (tl.float64, torch.float64, float("-inf")),
           torch.bool: (tl.int32, torch.int32, -1), torch.uint8: (tl.int32, torch.int32, -1),
           torch.int8: (tl.int32, torch.int32, -128), torch.int16: (tl.int32, torch.int32, -32768),
           torch.int32: (tl.int32, torch.int32, -(2**31)), torch.int64: (tl.int64, torch.int64, -(2**63))}


def index_type(*tensors):
    """32 bits where they reach every element: divisions in 64 bits make a kernel long and slow."""
    furthest = max(t.numel() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    return tl.int32 if furthest < 2**31 - 4096 else tl.int64


def launch(self, dim, keepdim, out):
    rank = self.dim()
    reduced = list(range(rank)) if dim is None else [dim % max(rank, 1)] if rank else []
    kept = [d for d in range(rank) if d not in reduced]
    if out is None:
        out = torch.empty([1 if d in reduced else n for d, n in enumerate(self.shape)], dtype=torch.int64,
                          device=self.device)
        result = out if keepdim else out.view([self.shape[d] for d in kept])
    else:
        result = out
        if not keepdim:
            for d in reduced:
                out = out.unsqueeze(d)
    rows = out.numel()
    if rows == 0:
        return result
    row_shape, row_strides, out_strides = collapse([self.shape[d] for d in kept], [self.stride(d) for d in kept],
                                                   [out.stride(d) for d in kept])
    red_shape, red_strides = collapse([self.shape[d] for d in reduced], [self.stride(d) for d in reduced])
    n = self.numel() // rows
    if n == 0:
        raise IndexError("argmax of no elements")
    compute, storage, lowest = COMPUTE[self.dtype]

    cols = min(512, triton.next_power_of_2(n))
    tall = 16 if row_strides[-1] == 1 and row_shape[-1] > 1 else 1  # rows that are neighbours in memory
    tile_rows = min(triton.next_power_of_2(rows), max(tall, 512 // cols))
    cols = max(1, min(cols, 2048 // tile_rows))
    row_tiles = triton.cdiv(rows, tile_rows)
    # A second launch costs as much as some eight tiles in a row; beyond that the first one is spread over the device.
    parts = 1 if n <= 8 * cols else max(1, min(n // cols, 512 // row_tiles))
    part = triton.cdiv(triton.cdiv(n, parts), cols) * cols
    parts = triton.cdiv(n, part)
    common = dict(LOWEST=lowest, COMPUTE=compute, INDEX=index_type(out, self))
    if parts == 1:
        argmax_kernel[(row_tiles, 1)](out, out, self, self, rows, n, part, row_shape, row_strides, out_strides,
                                      red_shape, red_strides, 0, FIRST=True, LAST=True, ROWS=tile_rows, COLS=cols,
                                      **common)
        return result
    value = torch.empty((rows, parts), dtype=storage, device=self.device)
    index = torch.empty((rows, parts), dtype=torch.int64, device=self.device)
    packed = []
    for d in reversed(range(len(row_shape))):  # strides of the parts' results for the same walk over rows
        packed.insert(0, parts if not packed else packed[0] * row_shape[d + 1])
    packed = tuple(packed)
    argmax_kernel[(row_tiles, parts)](value, index, self, self, rows, n, part, row_shape, row_strides, packed,
                                      red_shape, red_strides, 1, FIRST=True, LAST=False, ROWS=tile_rows, COLS=cols,
                                      **common)
    argmax_kernel[(rows, 1)](out, out, value, index, rows, parts, parts, row_shape, packed, out_strides, (parts,),
                             (1,), 0, FIRST=False, LAST=True, ROWS=1, COLS=triton.next_power_of_2(parts), **common)
    return result


def argmax(self, dim=None, keepdim=False):
    return launch(self, dim, keepdim, None)


def argmax_out(self, dim=None, keepdim=False, *, out):
    return launch(self, dim, keepdim, out)
