# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::rms_norm: a tile of rows stays in registers; rows longer than a tile are read twice."""
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
def rms_norm_kernel(out, x, weight, rows, width, epsilon: "fp64", shape, out_strides, x_strides, x_step, out_step,
                    weight_step, ONE_TILE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    lane = tl.arange(0, COLS).to(tl.int64)
    live = (row < rows)[:, None]
    x += offsets(row, shape, x_strides)[:, None]
    out += offsets(row, shape, out_strides)[:, None]
    eps = tl.full([ROWS], epsilon, tl.float32)
    if ONE_TILE:
        inside = live & (lane < width)[None, :]
        tile = tl.load(x + lane[None, :] * x_step, mask=inside, other=0).to(tl.float32)
        scale = tl.rsqrt(tl.sum(tile * tile, 1) / width + eps)
        w = tl.load(weight + lane * weight_step, mask=lane < width, other=0)
        # vLLM rounds the normalised value before it is multiplied by the weight, and the product again.
        normed = (tile * scale[:, None]).to(w.dtype).to(tl.float32)
        tl.store(out + lane[None, :] * out_step, (normed * w.to(tl.float32)[None, :]).to(w.dtype), mask=inside)
    else:
        squares = tl.zeros([ROWS, COLS], tl.float32)
        for start in range(0, width, COLS):
            inside = live & (start + lane < width)[None, :]
            tile = tl.load(x + (start + lane)[None, :] * x_step, mask=inside, other=0).to(tl.float32)
            squares += tile * tile
        scale = tl.rsqrt(tl.sum(squares, 1) / width + eps)
        for start in range(0, width, COLS):
            column = start + lane
            inside = live & (column < width)[None, :]
            tile = tl.load(x + column[None, :] * x_step, mask=inside, other=0).to(tl.float32)
            w = tl.load(weight + column * weight_step, mask=column < width, other=0)
            normed = (tile * scale[:, None]).to(w.dtype).to(tl.float32)
            tl.store(out + column[None, :] * out_step, (normed * w.to(tl.float32)[None, :]).to(w.dtype), mask=inside)


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


def rms_norm(out, input, weight, epsilon):
    if input.numel() == 0:
        return
    width = input.shape[-1]
    rows = input.numel() // width
    shape, out_strides, x_strides = collapse(input.shape[:-1], out.stride()[:-1], input.stride()[:-1])
    cols = min(8192, triton.next_power_of_2(width))
    tile = min(triton.next_power_of_2(rows), max(1, 1024 // cols))
    rms_norm_kernel[(triton.cdiv(rows, tile),)](
        out, input, weight, rows, width, epsilon, shape, out_strides, x_strides, input.stride(-1), out.stride(-1),
        weight.stride(0), ONE_TILE=width <= cols, ROWS=tile, COLS=cols)
