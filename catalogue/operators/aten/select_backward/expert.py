# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::select_backward: one pass writes the zeros and the slice."""
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
def place_kernel(out, grad, chosen, inner, numel, shape, out_strides, grad_strides, out_step, BLOCK: tl.constexpr):
    """Slices of `inner` elements, out_step apart in out; the gradient is read for the chosen one alone."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    piece = element // inner
    rest = element % inner
    value = tl.load(grad + offsets(rest, shape, grad_strides), mask=inside & (piece == chosen), other=0)
    tl.store(out + offsets(rest, shape, out_strides) + piece * out_step, value, mask=inside)


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

def launch(grad_output, input_sizes, dim, index, out):
    if out is None:
        out = torch.empty(input_sizes, dtype=grad_output.dtype, device=grad_output.device)
    numel = out.numel()
    if numel:
        slices = out.movedim(dim, 0)  # a view
        shape, out_strides, grad_strides = collapse(grad_output.shape, slices.stride()[1:], grad_output.stride())
        place_kernel[(triton.cdiv(numel, 1024),)](
            out, grad_output, index % input_sizes[dim], grad_output.numel(), numel, shape, out_strides, grad_strides,
            slices.stride(0), BLOCK=1024)
    return out


def select_backward(grad_output, input_sizes, dim, index):
    return launch(grad_output, input_sizes, dim, index, None)


def select_backward_out(grad_output, input_sizes, dim, index, *, out):
    return launch(grad_output, input_sizes, dim, index, out)
