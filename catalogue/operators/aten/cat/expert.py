# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::cat: inputs are copied to their slices of the output together, whatever the strides."""
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
def copy_block(out, x, numel, shape, out_strides, x_strides, INDEX: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(INDEX) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    value = tl.load(x + offsets(index, shape, x_strides), mask=inside)
    tl.store(out + offsets(index, shape, out_strides), value.to(out.dtype.element_ty), mask=inside)


@triton.jit
def copy_kernel(parts, tensors, numels, shapes, part_strides, strides, INDEX: tl.constexpr, BLOCK: tl.constexpr):
    """Program (b, i) copies block b of tensor i to its part of the output: one launch for several tensors."""
    for i in tl.static_range(len(tensors)):
        if tl.program_id(1) == i:
            copy_block(parts[i], tensors[i], numels[i], shapes[i], part_strides[i], strides[i], INDEX, BLOCK)


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


def index_type(*tensors):
    """32 bits where they reach every element: divisions in 64 bits make a kernel long and slow."""
    furthest = max(t.numel() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    return tl.int32 if furthest < 2**31 - 4096 else tl.int64


MOST = 8  # tensors of a launch; each adds its copy to the kernel


def copy_all(out, parts, tensors):
    """Writes each tensor to its part of out, a view of the tensor's shape, in as few launches as may be."""
    pairs = [(p, t) for p, t in zip(parts, tensors) if t.numel()]
    for first in range(0, len(pairs), MOST):
        parts, tensors = zip(*pairs[first:first + MOST])
        numels = tuple(t.numel() for t in tensors)
        shapes, part_strides, strides = zip(*[collapse(t.shape, p.stride(), t.stride()) for p, t in zip(parts, tensors)])
        block = 1024 if max(numels) >= 2**18 else 128  # small tensors: over many processors, in little code
        copy_kernel[(triton.cdiv(max(numels), block), len(tensors))](
            parts, tensors, numels, shapes, part_strides, strides, INDEX=index_type(out, *tensors), BLOCK=block)
    return out


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
    parts, start = [], 0
    for t in kept:
        parts.append(out.narrow(dim, start, t.shape[dim]))  # a view: where this input goes
        start += t.shape[dim]
    return copy_all(out, parts, kept)


def cat(tensors, dim=0):
    return launch(tensors, dim, None)


def cat_out(tensors, dim=0, *, out):
    return launch(tensors, dim, out)
