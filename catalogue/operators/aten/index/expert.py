# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::index: every output element computes the place that its index tensors name."""
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

def launch(self, indices, out):
    count = len(indices)
    indices = torch.broadcast_tensors(*indices)  # views
    lead, inner = indices[0].shape, self.shape[count:]
    shape = (*lead, *inner)
    if out is None:
        out = torch.empty(shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel == 0:
        return out
    # One index space for all: an index tensor stands still in the inner dimensions, self in the leading ones.
    sizes, out_strides, x_strides, *index_strides = collapse(
        shape, out.stride(), (0,) * len(lead) + self.stride()[count:],
        *[(*i.stride(), *(0,) * len(inner)) for i in indices])
    index_kernel[(triton.cdiv(numel, 1024),)](
        out, self, tuple(indices), numel, sizes, out_strides, x_strides, tuple(index_strides),
        tuple(self.shape[:count]), self.stride()[:count], BLOCK=1024)
    return out


def index_Tensor(self, indices):
    return launch(self, indices, None)


def index_Tensor_out(self, indices, *, out):
    return launch(self, indices, out)
