# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for aten::fill_: store one number over self and read nothing else."""
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
def fill_kernel(out, real: "fp64", whole: "i64", numel, shape, strides, REAL: tl.constexpr, BLOCK: tl.constexpr):
    """Two ways for the number to come, so that neither fp64 nor 64-bit integers lose a bit."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = real if REAL else whole
    filling = tl.full([BLOCK], value, tl.float64 if REAL else tl.int64).to(out.dtype.element_ty)
    tl.store(out + offsets(index, shape, strides), filling, mask=index < numel)


@triton.jit
def spread_kernel(out, value, numel, shape, strides, BLOCK: tl.constexpr):
    """The number is in device memory: every program reads it, and no host waits for it."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    filling = tl.zeros([BLOCK], out.dtype.element_ty) + tl.load(value).to(out.dtype.element_ty)
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

def fill(out, value):
    """Stores the number everywhere; reals are cut for integer types, as torch does."""
    numel = out.numel()
    if numel:
        real = out.dtype.is_floating_point
        number = bool(value) if out.dtype == torch.bool else value
        shape, strides = collapse(out.shape, out.stride())
        fill_kernel[(triton.cdiv(numel, 1024),)](
            out, float(number) if real else 0.0, 0 if real else int(number), numel, shape, strides, REAL=real,
            BLOCK=1024)
    return out


def fill__Scalar(self, value):
    return fill(self, value)


def fill__Tensor(self, value):
    numel = self.numel()
    if numel:
        shape, strides = collapse(self.shape, self.stride())
        spread_kernel[(triton.cdiv(numel, 1024),)](self, value, numel, shape, strides, BLOCK=1024)
    return self
