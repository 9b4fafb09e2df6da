# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::mul: one element-wise pass over broadcast, strided operands of any rank."""
import torch
import triton
import triton.language as tl


@triton.jit
def mul_kernel(out, x, y, value: "fp64", numel, shape, out_strides, x_strides, y_strides,
               HAS_Y: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """out = x * (y or value); `shape` and the strides describe the same broadcast index space."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    # Unravel the linear index from the last dimension to the first; the first needs no remainder.
    rest = index
    at_out = index * 0
    at_x = index * 0
    at_y = index * 0
    for d in tl.static_range(len(shape) - 1, 0, -1):
        i = rest % shape[d]
        rest = rest // shape[d]
        at_out += i * out_strides[d]
        at_x += i * x_strides[d]
        at_y += i * y_strides[d]
    at_out += rest * out_strides[0]
    at_x += rest * x_strides[0]
    at_y += rest * y_strides[0]

    a = tl.load(x + at_x, mask=inside).to(COMPUTE)
    if HAS_Y:
        b = tl.load(y + at_y, mask=inside).to(COMPUTE)
    else:
        b = tl.full([BLOCK], value, COMPUTE)
    tl.store(out + at_out, (a * b).to(out.dtype.element_ty), mask=inside)


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


# Where the arithmetic happens: 16-bit floats in f32, as torch does; integers in their own width, so that they wrap.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.bool: tl.int32, torch.uint8: tl.uint8, torch.int8: tl.int8,
           torch.int16: tl.int16, torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, other, out):
    tensor = isinstance(other, torch.Tensor)
    dtype = torch.result_type(self, other)
    shape = torch.broadcast_shapes(self.shape, other.shape) if tensor else self.shape
    if out is None:
        out = torch.empty(shape, dtype=dtype, device=self.device)
    x = self.expand(shape)
    y = other.expand(shape) if tensor else x
    numel = out.numel()
    if numel == 0:
        return out
    sizes, out_strides, x_strides, y_strides = collapse(shape, out.stride(), x.stride(), y.stride())
    block = 1024
    mul_kernel[(triton.cdiv(numel, block),)](
        out, x, y, 0.0 if tensor else other, numel, sizes, out_strides, x_strides, y_strides,
        HAS_Y=tensor, COMPUTE=COMPUTE[dtype], BLOCK=block)
    return out


def mul_Tensor(self, other):
    return launch(self, other, None)


def mul_Scalar(self, other):
    return launch(self, other, None)


def mul_out(self, other, *, out):
    return launch(self, other, out)
