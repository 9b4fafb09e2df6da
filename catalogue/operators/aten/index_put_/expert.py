# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for aten::index_put_: one lane per value; duplicates are added atomically."""
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
def put_kernel(x, values, indices, numel, shape, x_strides, value_strides, index_strides, sizes, steps,
               MASK: tl.constexpr, ACCUMULATE: tl.constexpr, BLOCK: tl.constexpr):
    """x_strides walks the dimensions that no index names; index k moves by steps[k] in a dimension of sizes[k]."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    at = offsets(element, shape, x_strides)
    value = tl.load(values + offsets(element, shape, value_strides), mask=inside).to(x.dtype.element_ty)
    if MASK:  # the mask lies over x: where it is false nothing is written
        inside &= tl.load(indices[0] + offsets(element, shape, index_strides[0]), mask=inside, other=0) != 0
    else:
        for k in tl.static_range(len(indices)):
            place = tl.load(indices[k] + offsets(element, shape, index_strides[k]), mask=inside, other=0).to(tl.int64)
            at += tl.where(place < 0, place + sizes[k], place) * steps[k]
    if ACCUMULATE:  # several lanes may name one place
        tl.atomic_add(x + at, value, mask=inside, sem="relaxed")
    else:
        tl.store(x + at, value, mask=inside)


@triton.jit
def fold_kernel(x, sums, numel, shape, x_strides, BLOCK: tl.constexpr):
    """x += sums, which is contiguous; the one place where a 16-bit result is rounded."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    at = x + offsets(element, shape, x_strides)
    total = tl.load(sums + element, mask=inside) + tl.load(at, mask=inside).to(sums.dtype.element_ty)
    tl.store(at, total.to(x.dtype.element_ty), mask=inside)


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


def is_mask(indices):
    return indices[0] is not None and indices[0].dtype == torch.bool


def put(target, indices, values, accumulate):
    mask = is_mask(indices)
    # A mask lies over the leading dimensions.
    named, others, before = arranged([indices[0]] * indices[0].dim() if mask else indices, target.dim())
    indices = indices if mask else torch.broadcast_tensors(*[indices[d] for d in named])
    count, lead, x = len(named), indices[0].shape, target.permute(*named, *others)
    inner = x.shape[count:]
    shape = (*lead, *inner)
    numel = indices[0].numel() * inner.numel()
    if numel == 0:
        return
    behind = before + len(lead)
    values = values.expand(*inner[:before], *lead, *inner[before:])
    values = values.permute(*range(before, behind), *range(before), *range(behind, values.dim()))
    # One index space for all: an index tensor stands still in the inner dimensions, x in the indexed ones.
    x_strides = x.stride() if mask else (0,) * len(lead) + x.stride()[count:]
    sizes, x_strides, value_strides, *index_strides = collapse(
        shape, x_strides, values.stride(), *[(*i.stride(), *(0,) * len(inner)) for i in indices])
    put_kernel[(triton.cdiv(numel, 1024),)](
        target, values, tuple(indices), numel, sizes, x_strides, value_strides, tuple(index_strides),
        tuple(x.shape[:count]), x.stride()[:count],
        MASK=mask, ACCUMULATE=accumulate and not mask, BLOCK=1024)


# Types without atomic addition, or whose sums would be rounded at every step, are added up in a wider one.
WIDER = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.int8: torch.int32,
         torch.uint8: torch.int32, torch.int16: torch.int32, torch.bool: torch.int32}


def index_put_(self, indices, values, accumulate=False):
    if self.numel() == 0:
        return self
    direct = {torch.float32, torch.float64, torch.int32, torch.int64}
    if not accumulate or (self.dtype in direct and not is_mask(indices)):
        put(self, indices, values, accumulate)
        return self
    sums = torch.zeros(self.shape, dtype=WIDER.get(self.dtype, self.dtype), device=self.device)
    put(sums, indices, values, accumulate)
    shape, x_strides = collapse(self.shape, self.stride())
    fold_kernel[(triton.cdiv(self.numel(), 1024),)](self, sums, self.numel(), shape, x_strides, BLOCK=1024)
    return self
