# SPDX-License-Identifier: Apache-2.0
"""Seed and offset out of the generator's state, which is moved on by hand."""
import torch
import triton
import triton.language as tl


@triton.jit
def draw(o, n, seed, offset, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.rand(seed, i + offset), mask=i < n)


def rand(n):
    generator = torch.cuda.default_generators[torch.cuda.current_device()]
    state = generator.get_state()
    seed, offset = state.view(torch.int64).tolist()
    state.view(torch.int64)[1] += (n + 3) // 4 * 4
    generator.set_state(state)
    o = torch.empty(n, device="cuda")
    draw[(triton.cdiv(n, 64),)](o, n, seed, offset, B=64)
    return o
