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
def load_joined(before, x, behind, line, place, inside, left, length, shape, before_strides, x_strides, behind_strides,
                before_step, x_step, behind_step, PREPEND: tl.constexpr, APPEND: tl.constexpr):
    """Element `place` of before (left elements), x (length elements) and behind, in a row."""
    in_x = inside & (place >= left) & (place < left + length)
    value = tl.load(x + offsets(line, shape, x_strides) + (place - left) * x_step, mask=in_x)
    if PREPEND:
        earlier = tl.load(before + offsets(line, shape, before_strides) + place * before_step,
                          mask=inside & (place < left))
        value = tl.where(place < left, earlier, value)
    if APPEND:
        place -= left + length
        later = tl.load(behind + offsets(line, shape, behind_strides) + place * behind_step,
                        mask=inside & (place >= 0))
        value = tl.where(place >= 0, later, value)
    return value


@triton.jit
def diff_kernel(out, before, x, behind, lines, span, left, length, shape, out_strides, before_strides, x_strides,
                behind_strides, out_step, before_step, x_step, behind_step, WEIGHTS: tl.constexpr,
                PREPEND: tl.constexpr, APPEND: tl.constexpr, COMPUTE: tl.constexpr, INDEX: tl.constexpr,
                LINES: tl.constexpr, SPAN: tl.constexpr):
    """A tile of LINES lines by SPAN differences of each. A line is walked along the dimension of the difference."""
    tiles = tl.cdiv(span, SPAN)
    line = ((tl.program_id(0) // tiles).to(INDEX) * LINES + tl.arange(0, LINES))[:, None]
    place = ((tl.program_id(0) % tiles).to(INDEX) * SPAN + tl.arange(0, SPAN))[None, :]
    inside = (line < lines) & (place < span)
    total = tl.zeros([LINES, SPAN], COMPUTE)
    for t in tl.static_range(len(WEIGHTS)):
        value = load_joined(before, x, behind, line, place + t, inside, left, length, shape, before_strides, x_strides,
                            behind_strides, before_step, x_step, behind_step, PREPEND, APPEND).to(COMPUTE)
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


def index_type(*tensors):
    """32 bits where they reach every element: divisions in 64 bits make a kernel long and slow."""
    furthest = max(t.numel() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    return tl.int32 if furthest < 2**31 - 4096 else tl.int64


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
    # Lanes follow the direction in which the input is contiguous; small ones are spread over many processors.
    lines, tile = numel // span, 1024 if numel >= 2**18 else 128
    wide = min(triton.next_power_of_2(span), tile if x.stride(-1) == 1 else tile // 32)
    tall = min(triton.next_power_of_2(lines), tile // wide)
    wide = min(triton.next_power_of_2(span), tile // tall)
    diff_kernel[(triton.cdiv(lines, tall) * triton.cdiv(span, wide),)](
        y, before, x, behind, lines, span, left, x.shape[-1], sizes, *strides,
        *[t.stride(-1) for t in (y, before, x, behind)], WEIGHTS=weights, PREPEND=prepend is not None,
        APPEND=append is not None, COMPUTE=COMPUTE[self.dtype], INDEX=index_type(y, before, x, behind), LINES=tall,
        SPAN=wide)
    return out


def diff(self, n=1, dim=-1, prepend=None, append=None):
    return launch(self, n, dim, prepend, append, None)


def diff_out(self, n=1, dim=-1, prepend=None, append=None, *, out):
    return launch(self, n, dim, prepend, append, out)
