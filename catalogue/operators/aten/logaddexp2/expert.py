# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::logaddexp2: one element-wise pass over broadcast, strided operands of any rank."""
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
def logaddexp2_kernel(out, x, y, numel, shape, out_strides, x_strides, y_strides, COMPUTE: tl.constexpr,
                      BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    b = tl.load(y + offsets(index, shape, y_strides), mask=inside).to(COMPUTE)
    larger = tl.where(a > b, a, b)
    z = tl.exp2(-tl.where(a == b, 0.0, tl.abs(a - b)))  # equal infinities are not apart
    # log2(1 + z) keeps the bits of a small z: u = 1 + z has lost some, and z / (u - 1) makes up for them.
    u = 1 + z
    rest = tl.where(u == 1, z * 1.4426950408889634, tl.log2(u) * (z / tl.where(u == 1, 1.0, u - 1)))
    result = larger + rest
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


# Where the arithmetic happens: 16-bit floats in f32, as torch does.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32, torch.float64: tl.float64}


def launch(self, other, out):
    dtype = torch.result_type(self, other)
    shape = torch.broadcast_shapes(self.shape, other.shape)
    if out is None:
        out = torch.empty(shape, dtype=dtype, device=self.device)
    x, y = self.expand(shape), other.expand(shape)
    numel = out.numel()
    if numel:
        sizes, *strides = collapse(shape, out.stride(), x.stride(), y.stride())
        logaddexp2_kernel[(triton.cdiv(numel, 1024),)](
            out, x, y, numel, sizes, *strides, COMPUTE=COMPUTE[dtype], BLOCK=1024)
    return out


def logaddexp2(self, other):
    return launch(self, other, None)


def logaddexp2_out(self, other, *, out):
    return launch(self, other, out)
