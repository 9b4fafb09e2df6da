# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::zero_: stores zeros over self and reads nothing."""
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
def fill_kernel(out, numel, shape, strides, VALUE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    filling = tl.full([BLOCK], VALUE, tl.int32).to(out.dtype.element_ty)
    tl.store(out + offsets(index, shape, strides), filling, mask=index < numel)


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

def fill(out):
    numel = out.numel()
    if numel:
        shape, strides = collapse(out.shape, out.stride())
        fill_kernel[(triton.cdiv(numel, 1024),)](out, numel, shape, strides, VALUE=0, BLOCK=1024)
    return out


def zero_(self):
    return fill(self)
