# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::div_ with its rounding modes: one pass that reads and writes self; any rank and strides."""
import torch
import triton
import triton.language as tl


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
def div_kernel(out, x, y, value: "fp64", numel, shape, out_strides, x_strides, y_strides,
               MODE: tl.constexpr, HAS_Y: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """out = x / (y or value), truncated or floored by MODE; shape and strides are of the broadcast index space."""
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

    a = tl.load(x + at_x, mask=inside, other=1).to(COMPUTE)
    if HAS_Y:
        b = tl.load(y + at_y, mask=inside, other=1).to(COMPUTE)  # 1: lanes outside must not divide by zero
    else:
        b = tl.full([BLOCK], value, COMPUTE)
    if COMPUTE.is_floating():
        result = tl.div_rn(a, b) if COMPUTE == tl.float32 else a / b
        if MODE == "trunc":
            result = tl.where(result < 0, tl.ceil(result), tl.floor(result))
        elif MODE == "floor":
            result = floor_quotient(a, b, result)
    else:
        result = a // b  # Triton's integer division truncates, as C's does
        if MODE == "floor":
            result -= ((a % b != 0) & ((a < 0) != (b < 0))).to(COMPUTE)
    tl.store(out + at_out, result.to(out.dtype.element_ty), mask=inside)


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
           torch.float64: tl.float64, torch.uint8: tl.uint8, torch.int8: tl.int8, torch.int16: tl.int16,
           torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, other, mode):
    tensor = isinstance(other, torch.Tensor)
    dtype = torch.result_type(self, other)
    if mode is None and not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    numel = self.numel()
    if numel == 0:
        return self
    y = other.expand(self.shape) if tensor else self
    sizes, x_strides, y_strides = collapse(self.shape, self.stride(), y.stride())
    block = 1024
    # Each element is read and written by the same lane, so that out may be self.
    div_kernel[(triton.cdiv(numel, block),)](
        self, self, y, 0.0 if tensor else other, numel, sizes, x_strides, x_strides, y_strides,
        MODE=mode or "true", HAS_Y=tensor, COMPUTE=COMPUTE[dtype], BLOCK=block)
    return self


def div__Tensor(self, other):
    return launch(self, other, None)


def div__Scalar(self, other):
    return launch(self, other, None)


def div__Tensor_mode(self, other, *, rounding_mode):
    return launch(self, other, rounding_mode)


def div__Scalar_mode(self, other, *, rounding_mode):
    return launch(self, other, rounding_mode)
