# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::poisson: the distribution function inverted by search, Philox numbers by element index."""
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
def poisson_kernel(out, rates, seed, offset, numel, shape, out_strides, rate_strides, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    rest = tl.load(rates + offsets(index, shape, rate_strides), mask=inside, other=0).to(tl.float64)
    count = tl.zeros([BLOCK], dtype=tl.float64)
    counter = (offset + index).to(tl.uint64)
    # A sum of independent Poisson numbers is one: large rates in pieces, since exp(-rate) must not underflow.
    while tl.max(rest, axis=0) > 0:
        rate = tl.minimum(rest, 256.0)
        rest -= rate
        u = uniform(seed, counter)
        counter += numel  # each piece draws its own numbers
        k = tl.zeros([BLOCK], dtype=tl.float64)
        mass = tl.exp(-rate)
        below = mass  # P(X <= k)
        beyond = u > below
        while tl.max(beyond.to(tl.int32), axis=0) > 0:
            for _ in tl.static_range(5):  # to ask whether a lane still searches costs more than a step
                k = tl.where(beyond, k + 1, k)
                mass = tl.where(beyond, mass * rate / k, mass)
                total = tl.where(beyond, below + mass, below)
                beyond = (u > total) & (total != below)  # where the sum no longer grows, u is as good as 1
                below = total
        count += k
    tl.store(out + offsets(index, shape, out_strides), count.to(out.dtype.element_ty), mask=inside)


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


def launch(out, rates, generator):
    numel = out.numel()
    if numel == 0:
        return out
    # Counters enough for every piece of the largest rate that the element type holds exactly.
    seed, offset = seed_and_offset(generator, out.device, 64 * numel)
    shape, out_strides, rate_strides = collapse(out.shape, out.stride(), rates.stride())
    # A warp by itself: none waits for the longest search of others.
    poisson_kernel[(triton.cdiv(numel, 32),)](out, rates, seed, offset, numel, shape, out_strides, rate_strides,
                                              BLOCK=32, num_warps=1)
    return out


def poisson(self, generator=None):
    return launch(torch.empty(self.shape, dtype=self.dtype, device=self.device), self, generator)


def poisson_out(self, generator=None, *, out):
    return launch(out, self, generator)
