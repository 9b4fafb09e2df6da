# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::smooth_l1_loss_backward: one element-wise pass; a single gradient is walked with stride 0."""
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
def smooth_l1_loss_backward_kernel(out, grad, x, y, beta: "fp64", scale: "fp64", numel, shape, out_strides,
                                   grad_strides, x_strides, y_strides, COMPUTE: tl.constexpr,
                                   BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    g = tl.load(grad + offsets(index, shape, grad_strides), mask=inside).to(COMPUTE)
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    b = tl.load(y + offsets(index, shape, y_strides), mask=inside).to(COMPUTE)
    beta = beta.to(COMPUTE)
    scale = scale.to(COMPUTE)
    apart = a - b
    slope = tl.where(apart <= -beta, -1.0, tl.where(apart >= beta, 1.0, apart / beta))  # NaN is neither and stays
    result = g * slope * scale
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


def launch(grad_output, self, target, reduction, beta, grad_input):
    shape = torch.broadcast_shapes(self.shape, target.shape)
    if grad_input is None:
        grad_input = torch.empty(shape, dtype=self.dtype, device=self.device)
    numel = grad_input.numel()
    if numel:
        operands = [t.expand(shape) for t in (grad_output, self, target)]
        sizes, *strides = collapse(shape, grad_input.stride(), *[t.stride() for t in operands])
        compute = tl.float64 if self.dtype == torch.float64 else tl.float32
        scale = 1 / numel if reduction == 1 else 1.0
        smooth_l1_loss_backward_kernel[(triton.cdiv(numel, 1024),)](
            grad_input, *operands, beta, scale, numel, sizes, *strides, COMPUTE=compute, BLOCK=1024)
    return grad_input


def smooth_l1_loss_backward(grad_output, self, target, reduction, beta):
    return launch(grad_output, self, target, reduction, beta, None)


def smooth_l1_loss_backward_grad_input(grad_output, self, target, reduction, beta, *, grad_input):
    return launch(grad_output, self, target, reduction, beta, grad_input)
