# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::diff: the n-th difference at once, by binomial coefficients, without joining the inputs."""
import math

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
def load_joined(before, x, behind, at_before, at_x, at_behind, place, left, length,
                before_step, x_step, behind_step, inside):
    """Element `place` of before (left elements), x (length elements) and behind, in a row."""
    in_left = inside & (place < left)
    in_x = inside & (place >= left) & (place < left + length)
    in_right = inside & (place >= left + length)
    a = tl.load(before + at_before + place * before_step, mask=in_left, other=0)
    b = tl.load(x + at_x + (place - left) * x_step, mask=in_x, other=0)
    c = tl.load(behind + at_behind + (place - left - length) * behind_step, mask=in_right, other=0)
    return tl.where(place < left, a, tl.where(place < left + length, b, c))


@triton.jit
def diff_kernel(out, before, x, behind, numel, span, left, length, shape, out_strides, before_strides, x_strides,
                behind_strides, out_step, before_step, x_step, behind_step, WEIGHTS: tl.constexpr,
                COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    line = element // span
    place = element % span
    at_before = offsets(line, shape, before_strides)
    at_x = offsets(line, shape, x_strides)
    at_behind = offsets(line, shape, behind_strides)
    total = tl.zeros([BLOCK], COMPUTE)
    for t in tl.static_range(len(WEIGHTS)):
        value = load_joined(before, x, behind, at_before, at_x, at_behind, place + t, left, length,
                            before_step, x_step, behind_step, inside).to(COMPUTE)
        total += value * WEIGHTS[t]
    if out.dtype.element_ty == tl.int1:  # exclusive or: the sum's last bit
        total = total & 1
    tl.store(out + offsets(line, shape, out_strides) + place * out_step, total.to(out.dtype.element_ty), mask=inside)


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

# 16-bit floats are subtracted in f32; integers in their own width, so that they wrap.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.bool: tl.int32, torch.uint8: tl.uint8, torch.int8: tl.int8,
           torch.int16: tl.int16, torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, n, dim, prepend, append, out):
    x = self.movedim(dim, -1)  # views throughout
    before = x if prepend is None else prepend.movedim(dim, -1)
    behind = x if append is None else append.movedim(dim, -1)
    left = 0 if prepend is None else before.shape[-1]
    right = 0 if append is None else behind.shape[-1]
    span = max(left + x.shape[-1] + right - n, 0)
    if out is None:
        shape = list(self.shape)
        shape[dim] = span
        out = torch.empty(shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel == 0:
        return out
    y = out.movedim(dim, -1)
    sizes, *strides = collapse(x.shape[:-1], *[t.stride()[:-1] for t in (y, before, x, behind)])
    weights = tuple((-1) ** (n - t) * math.comb(n, t) for t in range(n + 1))
    if not self.dtype.is_floating_point:  # unsigned ones have no minus: the same number modulo their width
        weights = tuple(w if self.dtype != torch.uint8 else w % 256 for w in weights)
    diff_kernel[(triton.cdiv(numel, 1024),)](
        y, before, x, behind, numel, span, left, x.shape[-1], sizes, *strides,
        *[t.stride(-1) for t in (y, before, x, behind)], WEIGHTS=weights, COMPUTE=COMPUTE[self.dtype], BLOCK=1024)
    return out


def diff(self, n=1, dim=-1, prepend=None, append=None):
    return launch(self, n, dim, prepend, append, None)


def diff_out(self, n=1, dim=-1, prepend=None, append=None, *, out):
    return launch(self, n, dim, prepend, append, out)
