# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for aten::index: every output element computes the place that its index tensors name. A mask becomes
index tensors first: kernels count and place its true elements, and the host reads how many there are."""
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
def index_kernel(out, x, indices, numel, shape, out_strides, x_strides, index_strides, sizes, steps,
                 BLOCK: tl.constexpr):
    """x_strides walks the dimensions that are not indexed; index k moves by steps[k] in a dimension of sizes[k]."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    at = offsets(element, shape, x_strides)
    for k in tl.static_range(len(indices)):
        place = tl.load(indices[k] + offsets(element, shape, index_strides[k]), mask=inside, other=0).to(tl.int64)
        at += tl.where(place < 0, place + sizes[k], place) * steps[k]
    value = tl.load(x + at, mask=inside)
    tl.store(out + offsets(element, shape, out_strides), value, mask=inside)


@triton.jit
def count_kernel(counts, mask, numel, shape, strides, BLOCK: tl.constexpr):
    """How many elements of each block are true."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    chosen = tl.load(mask + offsets(element, shape, strides), mask=element < numel, other=0)
    tl.store(counts + tl.program_id(0), tl.sum(chosen.to(tl.int64)))


@triton.jit
def start_kernel(starts, counts, blocks, BLOCK: tl.constexpr):
    """Where each block's true elements begin among all; behind the last how many there are."""
    total = tl.full((), 0, tl.int64)
    for first in range(0, blocks, BLOCK):
        block = first + tl.arange(0, BLOCK)
        count = tl.load(counts + block, mask=block < blocks, other=0)
        tl.store(starts + block, total + tl.cumsum(count, 0) - count, mask=block < blocks)
        total += tl.sum(count)
    tl.store(starts + blocks, total)


@triton.jit
def place_kernel(places, starts, mask, numel, total, shape, strides, BLOCK: tl.constexpr):
    """The coordinates of the true elements, in order: one row of `places` for each dimension."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    chosen = tl.load(mask + offsets(element, shape, strides), mask=element < numel, other=0).to(tl.int64)
    at = tl.load(starts + tl.program_id(0)) + tl.cumsum(chosen, 0) - 1
    rest = element
    for d in tl.static_range(len(shape) - 1, -1, -1):
        tl.store(places + d * total + at, rest % shape[d], mask=chosen != 0)
        rest = rest // shape[d]


def places_of(mask):
    """The index tensors that a mask stands for."""
    blocks = triton.cdiv(mask.numel(), 1024)
    counts = torch.empty(blocks, dtype=torch.int64, device=mask.device)
    starts = torch.empty(blocks + 1, dtype=torch.int64, device=mask.device)
    if blocks:
        count_kernel[(blocks,)](counts, mask, mask.numel(), tuple(mask.shape), mask.stride(), BLOCK=1024)
    start_kernel[(1,)](starts, counts, blocks, BLOCK=1024)
    total = starts[blocks].item()
    places = torch.empty((mask.dim(), total), dtype=torch.int64, device=mask.device)
    if total:
        place_kernel[(blocks,)](places, starts, mask, mask.numel(), total, tuple(mask.shape), mask.stride(), BLOCK=1024)
    return list(places)


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


def arranged(indices, rank):
    """(dimensions with an index, the others, how many of these come before the indices' own in the result)."""
    named = [d for d, index in enumerate(indices) if index is not None]
    others = [d for d in range(rank) if d not in named]
    adjacent = named[-1] - named[0] == len(named) - 1  # else the indices' dimensions go to the front
    return named, others, named[0] if adjacent else 0


def launch(self, indices, out):
    masks = [index is not None and index.dtype == torch.bool for index in indices]
    indices = [place for index, mask in zip(indices, masks) for place in (places_of(index) if mask else [index])]
    named, others, before = arranged(indices, self.dim())
    indices = torch.broadcast_tensors(*[indices[d] for d in named])  # views
    x = self.permute(*named, *others)
    count, lead, inner = len(named), indices[0].shape, x.shape[len(named):]
    if out is None:
        out = torch.empty((*inner[:before], *lead, *inner[before:]), dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel == 0:
        return out
    behind = before + len(lead)
    result = out.permute(*range(before, behind), *range(before), *range(behind, out.dim()))
    shape = (*lead, *inner)
    # One index space for all: an index tensor stands still in the inner dimensions, self in the leading ones.
    sizes, out_strides, x_strides, *index_strides = collapse(
        shape, result.stride(), (0,) * len(lead) + x.stride()[count:],
        *[(*i.stride(), *(0,) * len(inner)) for i in indices])
    index_kernel[(triton.cdiv(numel, 1024),)](
        out, self, tuple(indices), numel, sizes, out_strides, x_strides, tuple(index_strides),
        tuple(x.shape[:count]), x.stride()[:count], BLOCK=1024)
    return out


def index_Tensor(self, indices):
    return launch(self, indices, None)


def index_Tensor_out(self, indices, *, out):
    return launch(self, indices, out)
