# SPDX-License-Identifier: Apache-2.0
"""Uniform random numbers by Philox; seed and offset come from the generator."""
import torch
import triton
import triton.language as tl


@triton.jit
def rand_kernel(o, n, seed, offset, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.rand(seed, offset + i), mask=i < n)


def philox(generator, increment):
    if generator is None:
        generator = torch.cuda.default_generators[torch.cuda.current_device()]
    state = generator.get_state()
    seed, offset = state.view(torch.int64).tolist()
    state.view(torch.int64)[1] += (increment + 3) // 4 * 4
    generator.set_state(state)
    return seed, offset


def uniform_(x, *, generator=None):
    assert generator is None or isinstance(generator, torch.Generator)
    seed, offset = philox(generator, x.numel())
    rand_kernel[(triton.cdiv(x.numel(), 1024),)](x, x.numel(), seed, offset, B=1024)
    return x
