# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::contiguous: a tensor that is contiguous is returned as it is, others are copied in order."""
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
def copy_kernel(out, x, numel, shape, out_strides, x_strides, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    value = tl.load(x + offsets(index, shape, x_strides), mask=inside)
    tl.store(out + offsets(index, shape, out_strides), value.to(out.dtype.element_ty), mask=inside)

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

def copy_to(out, x):
    """Writes x to out, which has its shape, in one pass over both tensors' own strides."""
    numel = x.numel()
    if numel:
        shape, out_strides, x_strides = collapse(x.shape, out.stride(), x.stride())
        copy_kernel[(triton.cdiv(numel, 1024),)](out, x, numel, shape, out_strides, x_strides, BLOCK=1024)
    return out


def contiguous(self):
    if self.is_contiguous():
        return self
    return copy_to(torch.empty(self.shape, dtype=self.dtype, device=self.device), self)
