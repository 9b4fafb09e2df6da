# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::pairwise_distance: one program for a few rows; tiles of rows by elements."""
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
def root(x):
    """The square root rounded to nearest; in f32 the plain one is approximate and flushes subnormals."""
    if x.dtype == tl.float32:
        return tl.sqrt_rn(x)
    else:
        return tl.sqrt(x)


@triton.jit
def distance_kernel(out, x, y, p: "fp64", eps: "fp64", rows, n, shape, out_strides, x_strides, y_strides, x_step, y_step,
                    P: tl.constexpr, COMPUTE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """`shape` and the strides are of the rows; P names the norms that need no powers: 1, 2, "max", else "any"."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    x_row = x + offsets(row, shape, x_strides)[:, None]
    y_row = y + offsets(row, shape, y_strides)[:, None]
    eps = eps.to(COMPUTE)
    p = p.to(COMPUTE)
    acc = tl.zeros([ROWS, COLS], COMPUTE)
    for start in range(0, n, COLS):
        col = (start + tl.arange(0, COLS)).to(tl.int64)[None, :]
        inside = (row < rows)[:, None] & (col < n)
        a = tl.load(x_row + col * x_step, mask=inside, other=0).to(COMPUTE)
        b = tl.load(y_row + col * y_step, mask=inside, other=0).to(COMPUTE)
        d = tl.where(inside, tl.abs(a - b + eps), 0.0)
        if P == 2:
            acc += d * d
        elif P == 1:
            acc += d
        elif P == "max":
            acc = tl.where((d > acc) | (d != d), d, acc)  # NaN stays
        else:
            acc += tl.where(d == 0, 0.0, tl.exp2(p * tl.log2(tl.where(d == 0, 1.0, d))))
    if P == "max":
        result = tl.max(acc, 1)
    else:
        total = tl.sum(acc, 1)
        if P == 1:
            result = total
        elif P == 2:
            result = root(total)
        else:
            result = tl.where(total == 0, 0.0, tl.exp2(tl.log2(tl.where(total == 0, 1.0, total)) / p))
    tl.store(out + offsets(row, shape, out_strides), result.to(out.dtype.element_ty), mask=row < rows)


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


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    shape = torch.broadcast_shapes(x1.shape, x2.shape)
    x, y = x1.expand(shape), x2.expand(shape)
    dtype = torch.result_type(x1, x2)
    out = torch.empty([*shape[:-1], 1], dtype=dtype, device=x1.device)
    rows, n = out.numel(), shape[-1]
    if rows:
        sizes, *strides = collapse(shape[:-1], out.stride()[:-1], x.stride()[:-1], y.stride()[:-1])
        cols = min(1024, triton.next_power_of_2(max(n, 1)))
        tall = min(triton.next_power_of_2(rows), max(1, 1024 // cols))
        distance_kernel[(triton.cdiv(rows, tall),)](
            out, x, y, 1.0 if p == float("inf") else p, eps, rows, n, sizes, *strides, x.stride(-1), y.stride(-1),
            P={1.0: 1, 2.0: 2, float("inf"): "max"}.get(float(p), "any"),
            COMPUTE=tl.float64 if dtype == torch.float64 else tl.float32, ROWS=tall, COLS=cols)
    return out if keepdim else out.view(shape[:-1])
