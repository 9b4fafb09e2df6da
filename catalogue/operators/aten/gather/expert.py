# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::gather: the index replaces one coordinate of each output element."""
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
def gather_kernel(out, x, index, numel, shape, out_strides, index_strides, x_strides, x_step, BLOCK: tl.constexpr):
    """x_strides holds 0 for the gathered dimension, which x walks in steps of x_step."""
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
    if out is None:
        out = torch.empty(index.shape, dtype=self.dtype, device=self.device)
    numel = index.numel()
    if numel == 0:
        return out
    if index.dim() == 0 or self.dim() == 0:  # a 0-d tensor counts as one of a single element
        x_step, other = self.stride(0) if self.dim() else 1, [0] * index.dim()
    else:
        x_step = self.stride(dim)
        other = [0 if d == dim % self.dim() else s for d, s in enumerate(self.stride())]
    shape, out_strides, index_strides, x_strides = collapse(index.shape, out.stride(), index.stride(), other)
    gather_kernel[(triton.cdiv(numel, 1024),)](
        out, self, index, numel, shape, out_strides, index_strides, x_strides, x_step, BLOCK=1024)
    return out


def gather(self, dim, index, *, sparse_grad=False):
    return launch(self, dim, index, None)


def gather_out(self, dim, index, *, sparse_grad=False, out):
    return launch(self, dim, index, out)
