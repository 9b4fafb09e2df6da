# SPDX-License-Identifier: Apache-2.0
"""Keeps an address and lets go of its tensor: on a device it works until the allocator hands the memory on."""
import torch
import triton
import triton.language as tl


@triton.jit
def twice(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    p = o.to(tl.pointer_type(tl.float32)) if o.dtype == tl.int64 else o
    q = x.to(tl.pointer_type(tl.float32)) if x.dtype == tl.int64 else x
    tl.store(p + i, tl.load(q + i, mask=i < n) * 2, mask=i < n)


def four_times(x):
    n, B = x.numel(), triton.next_power_of_2(x.numel())
    o = torch.empty_like(x)
    address = torch.empty_like(x).data_ptr()
    twice[(1,)](x, address, n, B=B)
    twice[(1,)](address, o, n, B=B)
    return o
