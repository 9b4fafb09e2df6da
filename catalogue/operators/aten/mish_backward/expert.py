# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::mish_backward: one element-wise pass over strided tensors of any rank."""
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
def mish_backward_kernel(out, grad, x, numel, shape, out_strides, grad_strides, x_strides,
                         COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    g = tl.load(grad + offsets(index, shape, grad_strides), mask=inside).to(COMPUTE)
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    # With e = e^a and w = e (e + 2): tanh(ln(1 + e)) = w / (w + 2). From 20 on it is 1; at 40 rest is nothing beside
    # it, and w does not overflow yet. Beyond, all stays as it is at 40.
    a = tl.where(a > 40.0, 40.0, a)  # NaN is not above and stays
    e = tl.exp(a)
    w = e * (e + 2)
    t = w / (w + 2)
    rest = 4 * (w + 1) / (w + 2) / (w + 2)  # 1 - t^2 without cancellation
    result = g * (t + a * (e / (e + 1)) * rest)
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


def launch(grad_output, self, out):
    if out is None:
        out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel:
        shape, *strides = collapse(self.shape, out.stride(), grad_output.stride(), self.stride())
        compute = tl.float64 if self.dtype == torch.float64 else tl.float32
        mish_backward_kernel[(triton.cdiv(numel, 1024),)](
            out, grad_output, self, numel, shape, *strides, COMPUTE=compute, BLOCK=1024)
    return out


def mish_backward(grad_output, self):
    return launch(grad_output, self, None)
