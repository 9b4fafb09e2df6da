# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::binary_cross_entropy_with_logits: one pass for the losses; the sum of every block, then the sum of the blocks."""
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
def cross_entropy(a, t, w, p, HAS_W: tl.constexpr, HAS_P: tl.constexpr):
    """(1 - t) a + (1 + (p - 1) t) ln(1 + e^-a), where ln(1 + e^-a) = max(-a, 0) + ln(1 + e^-|a|) cannot overflow."""
    e = tl.exp(-tl.abs(a))
    u = 1 + e  # has lost bits of e; e / (u - 1) makes up for them
    log = tl.where(u == 1, e, tl.log(u) * (e / tl.where(u == 1, 1.0, u - 1)))
    soft = tl.where(a < 0, -a, 0.0) + log
    if HAS_P:
        soft = (1 + (p - 1) * t) * soft
    value = (1 - t) * a + soft
    if HAS_W:
        value = value * w
    return value


@triton.jit
def binary_cross_entropy_with_logits_kernel(out, x, target, weight, pos, numel, shape, out_strides,
                                            x_strides, target_strides, weight_strides, pos_strides,
                                            HAS_W: tl.constexpr, HAS_P: tl.constexpr, REDUCE: tl.constexpr,
                                            COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """The losses, strided like out; or where REDUCE their sum in this program's block, to out[program]."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside, other=0).to(COMPUTE)
    t = tl.load(target + offsets(index, shape, target_strides), mask=inside, other=0).to(COMPUTE)
    w = tl.load(weight + offsets(index, shape, weight_strides), mask=inside, other=0).to(COMPUTE)
    p = tl.load(pos + offsets(index, shape, pos_strides), mask=inside, other=0).to(COMPUTE)
    value = cross_entropy(a, t, w, p, HAS_W, HAS_P)
    if REDUCE:
        tl.store(out + tl.program_id(0), tl.sum(tl.where(inside, value, 0.0), 0))
    else:
        tl.store(out + offsets(index, shape, out_strides), value.to(out.dtype.element_ty), mask=inside)


@triton.jit
def total_kernel(out, partial, count, divisor: "fp64", COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], COMPUTE)
    for start in range(0, count, BLOCK):
        acc += tl.load(partial + start + lane, mask=start + lane < count, other=0)
    total = tl.sum(acc, 0) / divisor.to(COMPUTE)  # the mean of nothing is 0 / 0
    tl.store(out, total.to(out.dtype.element_ty))


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


def launch(tensors, reduction, out, has_w, has_p):
    shape = torch.broadcast_shapes(*[t.shape for t in tensors])
    tensors = [t.expand(shape) for t in tensors]
    dtype = tensors[0].dtype
    if out is None:
        out = torch.empty(shape if reduction == 0 else (), dtype=dtype, device=tensors[0].device)
    numel = tensors[0].numel()
    programs = triton.cdiv(numel, 1024)
    wide = dtype == torch.float64
    target = out
    if reduction != 0:
        target = torch.empty((max(programs, 1),), dtype=torch.float64 if wide else torch.float32, device=out.device)
    if numel:
        sizes, *strides = collapse(shape, (out if reduction == 0 else tensors[0]).stride(), *[t.stride() for t in tensors])
        binary_cross_entropy_with_logits_kernel[(programs,)](
            target, *tensors, numel, sizes, *strides, HAS_W=has_w, HAS_P=has_p, REDUCE=reduction != 0,
            COMPUTE=tl.float64 if wide else tl.float32, BLOCK=1024)
    if reduction != 0:
        total_kernel[(1,)](out, target, programs, float(numel) if reduction == 1 else 1.0,
                           COMPUTE=tl.float64 if wide else tl.float32, BLOCK=1024)
    return out


def with_weights(self, target, weight, pos_weight, reduction, out):
    w = self if weight is None else weight  # what is absent is not used, but has a place among the operands
    p = self if pos_weight is None else pos_weight
    return launch([self, target, w, p], reduction, out, weight is not None, pos_weight is not None)


def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=1):
    return with_weights(self, target, weight, pos_weight, reduction, None)


def binary_cross_entropy_with_logits_out(self, target, weight=None, pos_weight=None, reduction=1, *, out):
    return with_weights(self, target, weight, pos_weight, reduction, out)
