# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::pow: one element-wise pass over broadcast, strided operands of any rank."""
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


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
def whole_power(x, y):
    """x ** y of integers by repeated squaring; they wrap. A negative power is 0 unless x is 1 or -1."""
    result = x * 0 + 1
    square = x
    left = tl.where(y > 0, y, 0)
    while tl.max(left, 0) > 0:
        result = tl.where(left % 2 == 1, result * square, result)
        square = square * square
        left = left // 2
    inverse = tl.where(x == 1, 1, tl.where(x == -1, tl.where(y % 2 == 0, 1, -1), 0)).to(x.dtype)
    return tl.where(y < 0, inverse, result)


@triton.jit
def pow_kernel(out, x, y, value: "fp64", numel, shape, out_strides, x_strides, y_strides, HAS_X: tl.constexpr,
               HAS_Y: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """out = x ** y; `value` stands for the operand that is a number."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    if HAS_X:
        a = tl.load(x + offsets(index, shape, x_strides), mask=inside, other=1).to(COMPUTE)
    else:
        a = tl.full([BLOCK], value, COMPUTE)
    if HAS_Y:
        b = tl.load(y + offsets(index, shape, y_strides), mask=inside, other=1).to(COMPUTE)
    else:
        b = tl.full([BLOCK], value, COMPUTE)
    if COMPUTE.is_floating():
        result = libdevice.pow(a, b)  # exp2(b * log2(a)) loses bits where the product is large, and negative bases
        if COMPUTE == tl.float32:  # whose power flushes a subnormal base; there is none in most blocks
            subnormal = (a != 0) & (tl.abs(a) < 1.1754943508222875e-38)
            if tl.max(subnormal.to(tl.int32), 0) > 0:
                exact = libdevice.pow(a.to(tl.float64), b.to(tl.float64)).to(COMPUTE)
                result = tl.where(subnormal, exact, result)
    else:
        result = whole_power(a, b)
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


# Where the arithmetic happens: 16-bit floats in f32, as torch does; integers in their own width, so that
# they wrap.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.uint8: tl.uint8, torch.int8: tl.int8, torch.int16: tl.int16,
           torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, exponent, out):
    has_x, has_y = isinstance(self, torch.Tensor), isinstance(exponent, torch.Tensor)
    dtype = torch.result_type(self, exponent)
    tensors = [t for t in (self, exponent) if isinstance(t, torch.Tensor)]
    shape = torch.broadcast_shapes(*[t.shape for t in tensors])
    if out is None:
        out = torch.empty(shape, dtype=dtype, device=tensors[0].device)
    x = (self if has_x else exponent).expand(shape)
    y = (exponent if has_y else self).expand(shape)
    value = 0.0 if has_x and has_y else exponent if has_x else self
    numel = out.numel()
    if numel:
        sizes, *strides = collapse(shape, out.stride(), x.stride(), y.stride())
        pow_kernel[(triton.cdiv(numel, 256),)](out, x, y, value, numel, sizes, *strides, HAS_X=has_x, HAS_Y=has_y,
                                                COMPUTE=COMPUTE[dtype], BLOCK=256)
    return out


def pow_Tensor_Tensor(self, exponent):
    return launch(self, exponent, None)


def pow_Tensor_Scalar(self, exponent):
    return launch(self, exponent, None)


def pow_Scalar(self, exponent):
    return launch(self, exponent, None)


def pow_Tensor_Tensor_out(self, exponent, *, out):
    return launch(self, exponent, out)


def pow_Tensor_Scalar_out(self, exponent, *, out):
    return launch(self, exponent, out)


def pow_Scalar_out(self, exponent, *, out):
    return launch(self, exponent, out)
