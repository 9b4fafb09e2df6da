# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::exponential_: the distribution function inverted, Philox numbers by element index."""
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
def exponential_kernel(out, scale: "fp64", seed, offset, numel, shape, strides, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    u = uniform(seed, (offset + index).to(tl.uint64))
    value = -tl.log(u) * scale  # u < 1, so never 0
    tl.store(out + offsets(index, shape, strides), value.to(out.dtype.element_ty), mask=index < numel)


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


def exponential_(self, lambd=1.0, *, generator=None):
    numel = self.numel()
    if numel == 0:
        return self
    seed, offset = seed_and_offset(generator, self.device, numel)
    shape, strides = collapse(self.shape, self.stride())
    exponential_kernel[(triton.cdiv(numel, 1024),)](self, 1.0 / lambd, seed, offset, numel, shape, strides, BLOCK=1024)
    return self
