# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::index_select: every output element looks up which slice it comes from."""
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
def select_kernel(out, x, index, numel, shape, out_strides, x_strides, index_strides, x_step, BLOCK: tl.constexpr):
    """x_strides holds 0 for the chosen dimension, which x walks in steps of x_step; index_strides 0 for all others."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    chosen = tl.load(index + offsets(element, shape, index_strides), mask=inside, other=0).to(tl.int64)
    value = tl.load(x + offsets(element, shape, x_strides) + chosen * x_step, mask=inside)
    tl.store(out + offsets(element, shape, out_strides), value, mask=inside)


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

def launch(self, dim, index, out):
    index = index.view(1) if index.dim() == 0 else index
    dim %= self.dim()
    shape = list(self.shape)
    shape[dim] = index.shape[0]
    if out is None:
        out = torch.empty(shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel == 0:
        return out
    step = [0] * self.dim()
    step[dim] = index.stride(0)
    other = [0 if d == dim else s for d, s in enumerate(self.stride())]
    sizes, out_strides, x_strides, index_strides = collapse(shape, out.stride(), other, step)
    select_kernel[(triton.cdiv(numel, 1024),)](
        out, self, index, numel, sizes, out_strides, x_strides, index_strides, self.stride(dim), BLOCK=1024)
    return out


def index_select(self, dim, index):
    return launch(self, dim, index, None)


def index_select_out(self, dim, index, *, out):
    return launch(self, dim, index, out)
