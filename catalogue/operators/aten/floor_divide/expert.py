# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::floor_divide: one element-wise pass over broadcast, strided operands of any rank."""
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
def floor_quotient(a, b, quotient):
    """floor(a / b) of the exact quotient: the rounded one may have reached the next integer."""
    q = tl.floor(quotient)
    rest = tl.fma(-q, b, a)  # a - q b with one rounding, so its sign is exact
    q = tl.where((rest != 0) & ((rest < 0) != (b < 0)) & (tl.abs(q) < float("inf")), q - 1, q)
    # torch takes the remainder first: 1 // -inf is -1, and inf // x is NaN.
    infinite_b = tl.abs(b) == float("inf")
    q = tl.where(infinite_b & (tl.abs(a) < float("inf")), tl.where((a != 0) & ((a < 0) != (b < 0)), -1.0, 0.0), q)
    return tl.where((tl.abs(a) == float("inf")) & (b != 0), float("nan"), q).to(a.dtype)


@triton.jit
def floor_divide_kernel(out, x, y, value: "fp64", numel, shape, out_strides, x_strides, y_strides,
                        HAS_Y: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside, other=1).to(COMPUTE)
    if HAS_Y:
        b = tl.load(y + offsets(index, shape, y_strides), mask=inside, other=1).to(COMPUTE)
    else:
        b = tl.full([BLOCK], value, COMPUTE)
    if COMPUTE.is_floating():
        result = floor_quotient(a, b, tl.div_rn(a, b) if COMPUTE == tl.float32 else a / b)
    else:
        result = a // b  # Triton's integer division truncates, as C's does
        result -= ((a % b != 0) & ((a < 0) != (b < 0))).to(COMPUTE)
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


# Where the arithmetic happens: 16-bit floats in f32, as torch does; integers in their own width.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.bool: tl.int32, torch.uint8: tl.uint8, torch.int8: tl.int8, torch.int16: tl.int16,
           torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, other, out):
    tensor = isinstance(other, torch.Tensor)
    dtype = torch.result_type(self, other)
    shape = torch.broadcast_shapes(self.shape, other.shape) if tensor else self.shape
    if out is None:
        out = torch.empty(shape, dtype=dtype, device=self.device)
    x = self.expand(shape)
    y = other.expand(shape) if tensor else x
    numel = out.numel()
    if numel:
        sizes, *strides = collapse(shape, out.stride(), x.stride(), y.stride())
        floor_divide_kernel[(triton.cdiv(numel, 1024),)](
            out, x, y, 0.0 if tensor else other, numel, sizes, *strides, HAS_Y=tensor,
            COMPUTE=COMPUTE[dtype], BLOCK=1024)
    return out


def floor_divide(self, other):
    return launch(self, other, None)


def floor_divide_Scalar(self, other):
    return launch(self, other, None)


def floor_divide_out(self, other, *, out):
    return launch(self, other, out)


def floor_divide_Scalar_out(self, other, *, out):
    return launch(self, other, out)
