# SPDX-License-Identifier: Apache-2.0
"""logical_not through byte views of bool tensors."""
import torch
import triton
import triton.language as tl


@triton.jit
def not_kernel(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, (tl.load(x + i, mask=i < n) == 0).to(tl.uint8), mask=i < n)


def logical_not(x):
    o = torch.empty(x.shape, dtype=torch.bool, device="cuda")
    not_kernel[(1,)](x.view(torch.uint8), o.view(torch.uint8), x.numel(), B=triton.next_power_of_2(x.numel()))
    return o
