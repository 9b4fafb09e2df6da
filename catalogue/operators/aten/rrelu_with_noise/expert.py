# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::rrelu_with_noise: random slopes below zero, Philox numbers by element index."""
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
def uniform(seed, counter):
    """53 random bits of a counter as a number strictly between 0 and 1; the seed is the key."""
    low = (counter & 0xFFFFFFFF).to(tl.uint32)
    high = (counter >> 32).to(tl.uint32)
    first, second, _, _ = tl.philox(seed, low, high, low * 0, low * 0)
    bits = (first.to(tl.uint32, bitcast=True).to(tl.uint64) << 21) ^ (second.to(tl.uint32, bitcast=True) >> 11)
    return (bits.to(tl.float64) + 0.5) * 1.1102230246251565e-16  # 2^-53


@triton.jit
def rrelu_kernel(out, x, noise, lower: "fp64", upper: "fp64", seed, offset, numel, shape, out_strides, x_strides,
                 noise_strides, TRAINING: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    kind = tl.float64 if out.dtype.element_ty == tl.float64 else tl.float32
    value = tl.load(x + offsets(index, shape, x_strides), mask=inside, other=1).to(kind)
    if TRAINING:
        drawn = lower + (upper - lower) * uniform(seed, (offset + index).to(tl.uint64))
        slope = tl.where(value <= 0, drawn.to(noise.dtype.element_ty).to(kind), 1.0)
        tl.store(noise + offsets(index, shape, noise_strides), slope.to(noise.dtype.element_ty), mask=inside)
    else:
        slope = tl.where(value <= 0, ((lower + upper) / 2).to(kind), 1.0)
    tl.store(out + offsets(index, shape, out_strides), (value * slope).to(out.dtype.element_ty), mask=inside)


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


def seed_and_offset(generator, device, used):
    """The generator's Philox key and counter; the counter moves on, so that the next call draws other numbers."""
    if generator is None:
        generator = torch.cuda.default_generators[device.index or 0]
    seed, offset = generator.initial_seed(), generator.get_offset()
    generator.set_offset(offset + (used + 3) // 4 * 4)  # torch keeps offsets at multiples of four
    return seed, offset


def launch(out, x, noise, lower, upper, training, generator):
    numel = out.numel()
    if numel == 0:
        return out
    seed, offset = seed_and_offset(generator, out.device, numel) if training else (0, 0)
    shape, *strides = collapse(out.shape, out.stride(), x.stride(), noise.stride())
    rrelu_kernel[(triton.cdiv(numel, 1024),)](out, x, noise, float(lower), float(upper), seed, offset, numel, shape,
                                              *strides, TRAINING=bool(training), BLOCK=1024)
    return out


def rrelu_with_noise(self, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    return launch(torch.empty_like(self), self, noise, lower, upper, training, generator)


def rrelu_with_noise_out(self, noise, lower=0.125, upper=1 / 3, training=False, generator=None, *, out):
    return launch(out, self, noise, lower, upper, training, generator)
