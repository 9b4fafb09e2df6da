# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::clone: one pass over both tensors' own strides."""
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
def copy_kernel(out, x, numel, shape, out_strides, x_strides, INDEX: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(INDEX) * BLOCK + tl.arange(0, BLOCK)
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


def index_type(*tensors):
    """32 bits where they reach every element: divisions in 64 bits make a kernel long and slow."""
    furthest = max(t.numel() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    return tl.int32 if furthest < 2**31 - 4096 else tl.int64


def copy_to(out, x):
    """Writes x to out, which has its shape, in one pass over both tensors' own strides."""
    numel = x.numel()
    if numel:
        # Along the output's memory: two dense tensors of the same layout are then one long row, without a division.
        order = sorted(range(out.dim()), key=lambda d: -out.stride(d))
        shape, out_strides, x_strides = collapse(*[[sizes[d] for d in order] for sizes in
                                                   (x.shape, out.stride(), x.stride())])
        block = 1024 if numel >= 2**18 else 128  # small tensors: over many processors, in little code
        copy_kernel[(triton.cdiv(numel, block),)](out, x, numel, shape, out_strides, x_strides,
                                                  INDEX=index_type(out, x), BLOCK=block)
    return out


def clone(self):
    return copy_to(torch.empty_like(self), self)  # dense inputs keep their strides, as in torch


def clone_out(self, *, out):
    return copy_to(out, self)
