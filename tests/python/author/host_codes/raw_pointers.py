# SPDX-License-Identifier: Apache-2.0
"""Addresses as integers, with arithmetic on them."""
import torch
import triton
import triton.language as tl


@triton.jit
def shift_kernel(src, o, n, B: tl.constexpr):
    p = src.to(tl.pointer_type(tl.float32))
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(p + i, mask=i < n), mask=i < n)


def tail(x, start):
    n = x.numel() - start
    o = torch.empty(n, device=x.device, dtype=x.dtype)
    shift_kernel[(1,)](x.data_ptr() + 4 * start, o, n, B=triton.next_power_of_2(n))
    return o
