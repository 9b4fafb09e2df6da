# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::linear: tiles of rows by features; the bias is added before the one rounding."""
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
def linear_kernel(out, x, w, bias, m, n, k, row_shape, out_rows, x_rows, stride_on, stride_xk, stride_wn, stride_wk,
                  stride_b, HAS_BIAS: tl.constexpr, COMPUTE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr):
    # Programs walk GROUP tiles down before the next column, so that neighbours in time share tiles of w in cache.
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    first = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + pid % (GROUP * tiles_n) % height
    tile_n = pid % (GROUP * tiles_n) // height

    rows = tile_m.to(tl.int64) * BM + tl.arange(0, BM)
    cols = tile_n.to(tl.int64) * BN + tl.arange(0, BN)
    at_x = offsets(rows, row_shape, x_rows)  # a row may lie anywhere: the leading dimensions keep their strides
    acc = tl.zeros([BM, BN], COMPUTE)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        # Both masks matter: a row or column out of range, and the ragged end of k, must add zeros.
        tile_x = tl.load(x + at_x[:, None] + inner[None, :] * stride_xk,
                         mask=(rows < m)[:, None] & (inner < k)[None, :], other=0.0)
        tile_w = tl.load(w + inner[:, None] * stride_wk + cols[None, :] * stride_wn,
                         mask=(inner < k)[:, None] & (cols < n)[None, :], other=0.0)
        acc = tl.dot(tile_x, tile_w, acc, input_precision="ieee", out_dtype=COMPUTE)  # never TF32
    if HAS_BIAS:
        acc += tl.load(bias + cols * stride_b, mask=cols < n, other=0.0).to(COMPUTE)[None, :]
    tl.store(out + offsets(rows, row_shape, out_rows)[:, None] + cols[None, :] * stride_on,
             acc.to(out.dtype.element_ty), mask=(rows < m)[:, None] & (cols < n)[None, :])


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


def launch(input, weight, bias, out):
    n, k = weight.shape
    if out is None:
        out = torch.empty((*input.shape[:-1], n), dtype=input.dtype, device=input.device)
    if out.numel() == 0:
        return out
    m = out.numel() // n
    row_shape, out_rows, x_rows = collapse(input.shape[:-1], out.stride()[:-1], input.stride()[:-1])
    # Tiles no larger than the matrix needs, but at least the 16 that the tensor cores ask for.
    size = lambda extent, most: min(most, max(16, triton.next_power_of_2(extent)))
    bm, bn, bk = size(m, 64), size(n, 64), size(k, 64 if input.element_size() == 2 else 32)
    linear_kernel[(triton.cdiv(m, bm) * triton.cdiv(n, bn),)](
        out, input, weight, weight if bias is None else bias, m, n, k, row_shape, out_rows, x_rows, out.stride(-1),
        input.stride(-1), *weight.stride(), 0 if bias is None else bias.stride(0), HAS_BIAS=bias is not None,
        COMPUTE=tl.float64 if input.dtype == torch.float64 else tl.float32, BM=bm, BN=bn, BK=bk, GROUP=8)
    return out


def linear(input, weight, bias=None):
    return launch(input, weight, bias, None)


def linear_out(input, weight, bias=None, *, out):
    return launch(input, weight, bias, out)
