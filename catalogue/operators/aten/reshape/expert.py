# SPDX-License-Identifier: Apache-2.0
"""aten::reshape: a view where the strides allow one, else one Triton pass that copies in logical order."""
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
def copy_kernel(out, x, numel, shape, x_strides, BLOCK: tl.constexpr):
    """out is contiguous, so its linear index is its offset; x is walked in logical order."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    tl.store(out + index, tl.load(x + offsets(index, shape, x_strides), mask=inside), mask=inside)


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


def reshape(self, shape):
    try:
        return self.view(shape)
    except RuntimeError:  # the strides fit no view of that shape
        pass
    numel = self.numel()
    out = torch.empty(numel, dtype=self.dtype, device=self.device)
    sizes, x_strides = collapse(self.shape, self.stride())
    copy_kernel[(triton.cdiv(numel, 1024),)](out, self, numel, sizes, x_strides, BLOCK=1024)
    return out.view(shape)
