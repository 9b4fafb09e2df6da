# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for aten::scatter: a copy of self, then one lane per index element or, with reduce, one per line."""
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

@triton.jit
def scatter_kernel(out, index, src, value: "fp64", numel, shape, out_strides, index_strides, src_strides, out_step,
                   FROM_TENSOR: tl.constexpr, BLOCK: tl.constexpr):
    """out_strides holds 0 for the scattered dimension, which out walks in steps of out_step."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    place = tl.load(index + offsets(element, shape, index_strides), mask=inside, other=0).to(tl.int64)
    if FROM_TENSOR:
        given = tl.load(src + offsets(element, shape, src_strides), mask=inside)
    else:
        given = tl.full([BLOCK], value, tl.float64).to(out.dtype.element_ty)
    tl.store(out + offsets(element, shape, out_strides) + place * out_step, given, mask=inside)


@triton.jit
def reduce_kernel(out, index, src, value: "fp64", lines, length, shape, out_strides, index_strides, src_strides,
                  out_step, index_step, src_step, FROM_TENSOR: tl.constexpr, MULTIPLY: tl.constexpr,
                  COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """A lane walks one line of the index from its first element to its last. Nobody else writes that line of out, so
    duplicates need no atomics, which Triton lacks for products."""
    line = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    live = line < lines
    at_out = offsets(line, shape, out_strides)
    at_index = offsets(line, shape, index_strides)
    at_src = offsets(line, shape, src_strides)
    for k in range(length):
        place = tl.load(index + at_index + k * index_step, mask=live, other=0).to(tl.int64)
        if FROM_TENSOR:
            given = tl.load(src + at_src + k * src_step, mask=live).to(COMPUTE)
        else:
            given = tl.full([BLOCK], value, tl.float64).to(COMPUTE)
        target = out + at_out + place * out_step
        have = tl.load(target, mask=live).to(COMPUTE)
        result = have * given if MULTIPLY else have + given
        tl.store(target, result.to(out.dtype.element_ty), mask=live)


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

def copy_to(out, x):
    """Writes x to out, which has its shape, in one pass over both tensors' own strides."""
    numel = x.numel()
    if numel:
        shape, out_strides, x_strides = collapse(x.shape, out.stride(), x.stride())
        copy_kernel[(triton.cdiv(numel, 1024),)](out, x, numel, shape, out_strides, x_strides, BLOCK=1024)
    return out

# 16-bit products and sums are formed in f32; integers wrap in their own width.
COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.uint8: tl.uint8, torch.int8: tl.int8, torch.int16: tl.int16,
           torch.int32: tl.int32, torch.int64: tl.int64}


def launch(self, dim, index, src, reduce, out):
    if out is None:
        out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    copy_to(out, self)
    if index.numel() == 0:
        return out
    tensor = isinstance(src, torch.Tensor)
    value = 0.0 if tensor else src
    whole = lambda t: t.movedim(dim, 0) if t.dim() else t.view(1)  # views with the scattered dimension in front
    y, at = whole(out), whole(index)
    x = whole(src) if tensor else at
    if reduce is None:
        shape, y_strides, at_strides, x_strides = collapse(
            at.shape, (0, *y.stride()[1:]), at.stride(), x.stride())
        scatter_kernel[(triton.cdiv(at.numel(), 1024),)](
            y, at, x, value, at.numel(), shape, y_strides, at_strides, x_strides, y.stride(0),
            FROM_TENSOR=tensor, BLOCK=1024)
        return out
    lines = at.numel() // at.shape[0]
    shape, y_strides, at_strides, x_strides = collapse(
        at.shape[1:], y.stride()[1:], at.stride()[1:], x.stride()[1:])
    block = min(256, triton.next_power_of_2(lines))
    reduce_kernel[(triton.cdiv(lines, block),)](
        y, at, x, value, lines, at.shape[0], shape, y_strides, at_strides, x_strides,
        y.stride(0), at.stride(0), x.stride(0),
        FROM_TENSOR=tensor, MULTIPLY=reduce == "multiply", COMPUTE=COMPUTE[out.dtype], BLOCK=block)
    return out


def scatter_src(self, dim, index, src):
    return launch(self, dim, index, src, None, None)


def scatter_value(self, dim, index, value):
    return launch(self, dim, index, value, None, None)


def scatter_reduce(self, dim, index, src, *, reduce):
    return launch(self, dim, index, src, reduce, None)


def scatter_value_reduce(self, dim, index, value, *, reduce):
    return launch(self, dim, index, value, reduce, None)


def scatter_src_out(self, dim, index, src, *, out):
    return launch(self, dim, index, src, None, out)


def scatter_value_out(self, dim, index, value, *, out):
    return launch(self, dim, index, value, None, out)


def scatter_reduce_out(self, dim, index, src, *, reduce, out):
    return launch(self, dim, index, src, reduce, out)


def scatter_value_reduce_out(self, dim, index, value, *, reduce, out):
    return launch(self, dim, index, value, reduce, out)
