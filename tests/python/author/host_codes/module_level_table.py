# SPDX-License-Identifier: Apache-2.0
"""A table made on the device when the file is imported, used by every call."""
import torch
import triton
import triton.language as tl

TABLE = torch.tensor([1.0, 2.0, 4.0, 8.0], device="cuda")
COUNTERS = torch.zeros(16, dtype=torch.int32, device="cuda")


@triton.jit
def scale_kernel(x, t, c, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    s = tl.load(t + i % 4)
    tl.store(o + i, tl.load(x + i, mask=i < n) * s, mask=i < n)
    tl.atomic_add(c, 1)


def scale(x):
    o = torch.empty_like(x)
    scale_kernel[(1,)](x, TABLE, COUNTERS, o, x.numel(), B=triton.next_power_of_2(x.numel()))
    return o
