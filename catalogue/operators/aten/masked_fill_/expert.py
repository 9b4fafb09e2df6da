# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::masked_fill_: stores the value where the mask says so and touches nothing else."""
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
def masked_fill_kernel(x, mask, value_tensor, value: "fp64", numel, shape, x_strides, mask_strides,
                       FROM_TENSOR: tl.constexpr, INTEGER: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    chosen = tl.load(mask + offsets(index, shape, mask_strides), mask=inside, other=0) != 0
    if FROM_TENSOR:
        fill = tl.load(value_tensor)
    else:
        fill = value
    if INTEGER:  # truncates, as torch converts a real value; to bool it does not: 0.5 is true
        fill = fill.to(tl.int64)
    tl.store(x + offsets(index, shape, x_strides), fill.to(x.dtype.element_ty), mask=inside & chosen)


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


def launch(self, mask, value):
    numel = self.numel()
    if numel:
        mask = mask.expand(self.shape)
        shape, x_strides, mask_strides = collapse(self.shape, self.stride(), mask.stride())
        tensor = isinstance(value, torch.Tensor)
        masked_fill_kernel[(triton.cdiv(numel, 1024),)](
            self, mask, value if tensor else self, 0.0 if tensor else value, numel, shape, x_strides, mask_strides,
            FROM_TENSOR=tensor, INTEGER=not self.dtype.is_floating_point and self.dtype != torch.bool, BLOCK=1024)
    return self


def masked_fill__Scalar(self, mask, value):
    return launch(self, mask, value)


def masked_fill__Tensor(self, mask, value):
    return launch(self, mask, value)
