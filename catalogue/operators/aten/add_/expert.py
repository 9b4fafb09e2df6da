# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::add_: one element-wise pass that reads and writes self; any rank and strides."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_inplace_kernel(x, y, value: "fp64", alpha: "fp64", numel, shape, x_strides, y_strides,
                       HAS_Y: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """x += alpha * (y or value). Each element of x is read and written by the same lane, so no order matters."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    # Unravel the linear index from the last dimension to the first; the first needs no remainder.
    rest = index
    at_x = index * 0
    at_y = index * 0
    for d in tl.static_range(len(shape) - 1, 0, -1):
        i = rest % shape[d]
        rest = rest // shape[d]
        at_x += i * x_strides[d]
        at_y += i * y_strides[d]
    at_x += rest * x_strides[0]
    at_y += rest * y_strides[0]

    a = tl.load(x + at_x, mask=inside).to(COMPUTE)
    if HAS_Y:
        b = tl.load(y + at_y, mask=inside).to(COMPUTE)
    else:
        b = tl.full([BLOCK], value, COMPUTE)
    result = a + b * tl.full([BLOCK], alpha, COMPUTE)
    tl.store(x + at_x, result.to(x.dtype.element_ty), mask=inside)


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


def launch(self, other, alpha):
    if self.numel() == 0:
        return self
    tensor = isinstance(other, torch.Tensor)
    y = other.expand(self.shape) if tensor else self
    sizes, x_strides, y_strides = collapse(self.shape, self.stride(), y.stride())
    block = 1024
    add_inplace_kernel[(triton.cdiv(self.numel(), block),)](
        self, y, 0.0 if tensor else other, alpha, self.numel(), sizes, x_strides, y_strides,
        HAS_Y=tensor, COMPUTE=COMPUTE[torch.result_type(self, other)], BLOCK=block)
    return self


def add__Tensor(self, other, *, alpha=1):
    return launch(self, other, alpha)


def add__Scalar(self, other, alpha=1):
    return launch(self, other, alpha)
