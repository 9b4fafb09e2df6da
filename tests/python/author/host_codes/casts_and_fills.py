# SPDX-License-Identifier: Apache-2.0
"""Casts before and after, zeros, full, in-place fills of slices, arange and clone."""
import torch
import triton
import triton.language as tl


@triton.jit
def accumulate(x, idx, acc, n, B: tl.constexpr):
    i = tl.arange(0, B)
    j = tl.load(idx + i, mask=i < n, other=0)
    tl.atomic_add(acc + j, tl.load(x + i, mask=i < n), mask=i < n)


def reversed_sum(x):
    n = x.numel()
    wide = x.float()
    acc = torch.zeros(n, dtype=torch.float32, device=x.device)
    acc[: n // 2].fill_(1.5)
    acc[n - 1] = 0
    order = torch.arange(n - 1, -1, -1, device=x.device)
    accumulate[(1,)](wide, order, acc, n, B=triton.next_power_of_2(n))
    return acc.to(x.dtype), torch.full_like(acc, float("inf")), acc.clone()
