# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::rot90: a copy that walks the input backwards where the turn says so."""
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
def turn_kernel(out, x, first, numel, shape, out_strides, x_strides, BLOCK: tl.constexpr):
    """x_strides may be negative: element (0, 0, ...) of the output comes from x + first."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    value = tl.load(x + first + offsets(index, shape, x_strides), mask=inside)
    tl.store(out + offsets(index, shape, out_strides), value, mask=inside)


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

def launch(self, k, dims, out):
    a, b = (d % self.dim() for d in dims)
    shape, strides, first = list(self.shape), list(self.stride()), 0
    # Each quarter flips the second dimension and exchanges the two; after two quarters both are flipped.
    for _ in range(k % 4):
        first += (shape[b] - 1) * strides[b]
        strides[b] = -strides[b]
        shape[a], shape[b] = shape[b], shape[a]
        strides[a], strides[b] = strides[b], strides[a]
    if out is None:
        out = torch.empty(shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel:
        sizes, out_strides, x_strides = collapse(shape, out.stride(), strides)
        turn_kernel[(triton.cdiv(numel, 1024),)](
            out, self, first, numel, sizes, out_strides, x_strides, BLOCK=1024)
    return out


def rot90(self, k=1, dims=(0, 1)):
    return launch(self, k, dims, None)


def rot90_out(self, k=1, dims=(0, 1), *, out):
    return launch(self, k, dims, out)
