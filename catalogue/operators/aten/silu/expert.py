# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::silu: the function and its gradient, one element-wise pass each over strided tensors."""
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
def silu_kernel(out, x, numel, shape, out_strides, x_strides, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    result = a / (1 + tl.exp(-a))
    tl.store(out + offsets(index, shape, out_strides), result.to(out.dtype.element_ty), mask=inside)


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


@triton.jit
def silu_backward_kernel(out, grad, x, numel, shape, out_strides, grad_strides, x_strides, COMPUTE: tl.constexpr,
                         BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    g = tl.load(grad + offsets(index, shape, grad_strides), mask=inside).to(COMPUTE)
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    e = tl.exp(-tl.abs(a))  # never overflows
    s = tl.where(a < 0, e, 1.0) / (1 + e)
    rest = tl.where(a < 0, 1.0, e) / (1 + e)  # 1 - s without cancellation
    result = g * (s * (1 + a * rest))
    tl.store(out + offsets(index, shape, out_strides), result.to(out.dtype.element_ty), mask=inside)


def launch(kernel, tensors, out):
    """Runs `kernel` on tensors of one shape; allocates the result unless `out` is given."""
    like = tensors[-1]
    if out is None:
        out = torch.empty(like.shape, dtype=like.dtype, device=like.device)
    numel = out.numel()
    if numel:
        shape, *strides = collapse(like.shape, out.stride(), *[t.stride() for t in tensors])
        compute = tl.float64 if like.dtype == torch.float64 else tl.float32
        kernel[(triton.cdiv(numel, 1024),)](out, *tensors, numel, shape, *strides, COMPUTE=compute, BLOCK=1024)
    return out


def silu(self):
    return launch(silu_kernel, [self], None)


def silu_out(self, *, out):
    return launch(silu_kernel, [self], out)


def silu_backward(grad_output, self):
    return launch(silu_backward_kernel, [grad_output, self], None)


def silu_backward_grad_input(grad_output, self, *, grad_input):
    return launch(silu_backward_kernel, [grad_output, self], grad_input)
