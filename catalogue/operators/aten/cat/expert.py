# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::cat: each input is copied to its slice of the output, whatever the strides."""
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
def copy_kernel(out, x, numel, shape, out_strides, x_strides, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    value = tl.load(x + offsets(index, shape, x_strides), mask=inside)
    tl.store(out + offsets(index, shape, out_strides), value.to(out.dtype.element_ty), mask=inside)


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


def launch(tensors, dim, out):
    # An empty 1-d tensor fits anywhere: an old rule of torch.
    kept = [t for t in tensors if not (t.dim() == 1 and t.shape[0] == 0)] or tensors[:1]
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = torch.promote_types(dtype, t.dtype)
    shape = list(kept[0].shape)
    dim %= len(shape)
    shape[dim] = sum(t.shape[dim] for t in kept)
    if out is None:
        out = torch.empty(shape, dtype=dtype, device=tensors[0].device)
    start = 0
    for t in kept:
        part = out.narrow(dim, start, t.shape[dim])  # a view: where this input goes
        start += t.shape[dim]
        numel = t.numel()
        if numel:
            sizes, out_strides, x_strides = collapse(t.shape, part.stride(), t.stride())
            copy_kernel[(triton.cdiv(numel, 1024),)](part, t, numel, sizes, out_strides, x_strides, BLOCK=1024)
    return out


def cat(tensors, dim=0):
    return launch(tensors, dim, None)


def cat_out(tensors, dim=0, *, out):
    return launch(tensors, dim, out)
