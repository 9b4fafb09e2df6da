# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::floor: one element-wise pass over a strided tensor of any rank."""
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
def floor_kernel(out, x, numel, shape, out_strides, x_strides, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    if COMPUTE.is_floating():
        result = tl.floor(a)
        result = tl.where(a < 0, tl.minimum(result, -1.0), result)  # devices flush subnormals before they round
    else:
        result = a
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


# Where the arithmetic happens: 16-bit floats in f32, integers in their own width.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.uint8: tl.uint8, torch.int8: tl.int8, torch.int16: tl.int16,
           torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, out):
    if out is None:
        out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel:
        shape, out_strides, x_strides = collapse(self.shape, out.stride(), self.stride())
        compute = COMPUTE[self.dtype]
        floor_kernel[(triton.cdiv(numel, 1024),)](
            out, self, numel, shape, out_strides, x_strides, COMPUTE=compute, BLOCK=1024)
    return out


def floor(self):
    return launch(self, None)


def floor_out(self, *, out):
    return launch(self, out)
