# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::gt: one element-wise pass over broadcast, strided operands of any rank."""
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
def gt_kernel(out, x, y, value: "fp64", numel, shape, out_strides, x_strides, y_strides,
              HAS_Y: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    if HAS_Y:
        b = tl.load(y + offsets(index, shape, y_strides), mask=inside).to(COMPUTE)
    else:
        b = tl.full([BLOCK], value, COMPUTE)
    result = a > b  # false for NaN
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


# Where the arithmetic happens: 16-bit floats in f32, which holds them; integers in their own width: a float does not hold all of i64.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.bool: tl.int32, torch.uint8: tl.uint8, torch.int8: tl.int8, torch.int16: tl.int16,
           torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, other, out):
    tensor = isinstance(other, torch.Tensor)
    dtype = torch.result_type(self, other)
    shape = torch.broadcast_shapes(self.shape, other.shape) if tensor else self.shape
    if out is None:
        out = torch.empty(shape, dtype=torch.bool, device=self.device)
    x = self.expand(shape)
    y = other.expand(shape) if tensor else x
    numel = out.numel()
    if numel:
        sizes, *strides = collapse(shape, out.stride(), x.stride(), y.stride())
        gt_kernel[(triton.cdiv(numel, 1024),)](
            out, x, y, 0.0 if tensor else other, numel, sizes, *strides, HAS_Y=tensor,
            COMPUTE=COMPUTE[dtype], BLOCK=1024)
    return out


def gt_Tensor(self, other):
    return launch(self, other, None)


def gt_Scalar(self, other):
    return launch(self, other, None)


def gt_Tensor_out(self, other, *, out):
    return launch(self, other, out)


def gt_Scalar_out(self, other, *, out):
    return launch(self, other, out)
