# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for aten::_softmax: tiles of rows; the online form forwards, a sum and a second pass backwards."""
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
def softmax_kernel(out, x, rows, n, shape, out_strides, x_strides, out_step, x_step,
                   COMPUTE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at_x = offsets(row, shape, x_strides)[:, None]
    at_out = offsets(row, shape, out_strides)[:, None]
    live = (row < rows)[:, None]
    lane = tl.arange(0, COLS).to(tl.int64)[None, :]
    top = tl.full([ROWS], float("-inf"), COMPUTE)
    total = tl.full([ROWS], 0.0, COMPUTE)
    for start in range(0, n, COLS):
        # Padding is -inf, the neutral element of max and, after exp, of the sum.
        inside = live & (start + lane < n)
        tile = tl.load(x + at_x + (start + lane) * x_step, mask=inside, other=float("-inf")).to(COMPUTE)
        new_top = tl.maximum(top, tl.max(tile, 1))
        # While everything seen is -inf the weights must be 0, not e^(-inf + inf).
        base = tl.where(new_top == float("-inf"), 0.0, new_top)
        total = total * tl.exp(top - base) + tl.sum(tl.exp(tile - base[:, None]), 1)
        top = new_top
    for start in range(0, n, COLS):
        inside = live & (start + lane < n)
        tile = tl.load(x + at_x + (start + lane) * x_step, mask=inside, other=float("-inf")).to(COMPUTE)
        result = tl.exp(tile - top[:, None]) / total[:, None]
        tl.store(out + at_out + (start + lane) * out_step, result.to(out.dtype.element_ty), mask=inside)


@triton.jit
def backward_kernel(out, grad, y, rows, n, shape, out_strides, grad_strides, y_strides, out_step, grad_step, y_step,
                    COMPUTE: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at_grad = grad + offsets(row, shape, grad_strides)[:, None]
    at_y = y + offsets(row, shape, y_strides)[:, None]
    at_out = out + offsets(row, shape, out_strides)[:, None]
    live = (row < rows)[:, None]
    lane = tl.arange(0, COLS).to(tl.int64)[None, :]
    total = tl.zeros([ROWS], COMPUTE)
    for start in range(0, n, COLS):
        inside = live & (start + lane < n)
        g = tl.load(at_grad + (start + lane) * grad_step, mask=inside, other=0).to(COMPUTE)
        total += tl.sum(g * tl.load(at_y + (start + lane) * y_step, mask=inside, other=0).to(COMPUTE), 1)
    for start in range(0, n, COLS):
        inside = live & (start + lane < n)
        g = tl.load(at_grad + (start + lane) * grad_step, mask=inside, other=0).to(COMPUTE)
        result = tl.load(at_y + (start + lane) * y_step, mask=inside, other=0).to(COMPUTE) * (g - total[:, None])
        tl.store(at_out + (start + lane) * out_step, result.to(out.dtype.element_ty), mask=inside)


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

def launch(kernel, dim, out, *inputs):
    if out.numel() == 0:
        return out
    # Views with the softmax's dimension last: the kernels take any strides.
    views = [t.movedim(dim, -1) if t.dim() else t.view(1) for t in (out, *inputs)]
    n = views[0].shape[-1]
    rows = out.numel() // n
    shape, *strides = collapse(views[0].shape[:-1], *[v.stride()[:-1] for v in views])
    cols = min(4096, triton.next_power_of_2(n))
    tile_rows = max(1, min(1024 // cols, triton.next_power_of_2(rows)))
    kernel[(triton.cdiv(rows, tile_rows),)](
        *views, rows, n, shape, *strides, *[v.stride(-1) for v in views],
        COMPUTE=tl.float64 if inputs[0].dtype == torch.float64 else tl.float32, ROWS=tile_rows, COLS=cols)
    return out


def _softmax(self, dim, half_to_float):
    dtype = torch.float32 if half_to_float else self.dtype
    return launch(softmax_kernel, dim, torch.empty(self.shape, dtype=dtype, device=self.device), self)


def _softmax_out(self, dim, half_to_float, *, out):
    return launch(softmax_kernel, dim, out, self)


def _softmax_backward_data(grad_output, output, dim, input_dtype):
    out = torch.empty(output.shape, dtype=input_dtype, device=output.device)
    return launch(backward_kernel, dim, out, grad_output, output)


def _softmax_backward_data_out(grad_output, output, dim, input_dtype, *, grad_input):
    return launch(backward_kernel, dim, grad_input, grad_output, output)
