# SPDX-License-Identifier: Apache-2.0
"""Chooses between two block sizes by timing them with events and do_bench."""
import torch
import triton
import triton.language as tl
import triton.testing


@triton.jit
def id_kernel(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)


def identity(x):
    o = torch.empty_like(x)
    n = x.numel()
    launch = lambda b: id_kernel[(triton.cdiv(n, b),)](x, o, n, B=b)
    times = {b: triton.testing.do_bench(lambda b=b: launch(b)) for b in (128, 256)}
    launch(min(times, key=times.get))
    return o
