# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::resolve_neg: one pass that negates; imaginary parts are every second real of a tensor."""
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
def negate_kernel(out, x, numel, shape, out_strides, x_strides, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    value = tl.load(x + offsets(index, shape, x_strides), mask=inside)
    # Times -1: Triton's minus is 0 - x, which makes +0 of +0.
    tl.store(out + offsets(index, shape, out_strides), value * -1.0, mask=inside)


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

def negated(x):
    out = torch.empty_like(x)
    numel = out.numel()
    if numel:
        shape, out_strides, x_strides = collapse(x.shape, out.stride(), x.stride())
        negate_kernel[(triton.cdiv(numel, 1024),)](out, x, numel, shape, out_strides, x_strides, BLOCK=1024)
    return out


def resolve_neg_neg(self):
    return negated(self)


def resolve_neg_imag(self):
    return negated(torch.view_as_real(self).select(-1, 1))  # a view of the imaginary parts


def resolve_neg(self):
    return self
