# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::bernoulli: Philox numbers by element index, the same for any launch shape."""
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
def bernoulli_kernel(out, prob, p: "fp64", seed, offset, numel, shape, out_strides, prob_strides,
                     FROM_TENSOR: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    # A counter of its own for each element and call; the seed is the key. 32 random bits, compared as a number in
    # [0, 1): with 2^-32 steps, p = 0 never and p = 1 always gives one.
    counter = (offset + index).to(tl.uint64)
    low = (counter & 0xFFFFFFFF).to(tl.uint32)
    high = (counter >> 32).to(tl.uint32)
    bits, _, _, _ = tl.philox(seed, low, high, low * 0, low * 0)
    uniform = bits.to(tl.uint32, bitcast=True).to(tl.float64) * 2.3283064365386963e-10  # 2^-32
    if FROM_TENSOR:
        limit = tl.load(prob + offsets(index, shape, prob_strides), mask=inside, other=0).to(tl.float64)
    else:
        limit = p
    tl.store(out + offsets(index, shape, out_strides), (uniform < limit).to(out.dtype.element_ty), mask=inside)


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


def launch(out, probability, generator):
    numel = out.numel()
    if numel == 0:
        return out
    seed, offset = seed_and_offset(generator, out.device, numel)
    tensor = isinstance(probability, torch.Tensor)
    prob = probability.expand(out.shape) if tensor else out
    shape, out_strides, prob_strides = collapse(out.shape, out.stride(), prob.stride())
    bernoulli_kernel[(triton.cdiv(numel, 1024),)](
        out, prob, 0.0 if tensor else probability, seed, offset, numel, shape, out_strides, prob_strides,
        FROM_TENSOR=tensor, BLOCK=1024)
    return out


def bernoulli(self, *, generator=None):
    return launch(torch.empty(self.shape, dtype=self.dtype, device=self.device), self, generator)


def bernoulli_out(self, *, generator=None, out):
    return launch(out, self, generator)


def bernoulli_p(self, p, *, generator=None):
    return launch(torch.empty(self.shape, dtype=self.dtype, device=self.device), p, generator)


def bernoulli_Tensor(self, p, *, generator=None):
    return launch(torch.empty(self.shape, dtype=self.dtype, device=self.device), p, generator)


def bernoulli_float_out(self, p=0.5, *, generator=None, out):
    return launch(out, p, generator)
