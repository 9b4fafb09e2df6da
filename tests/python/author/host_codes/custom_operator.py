# SPDX-License-Identifier: Apache-2.0
"""The kernel behind torch.library.custom_op, and a wrapper around it."""
import torch
import triton
import triton.language as tl


@triton.jit
def triple_kernel(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) * 3, mask=i < n)


@torch.library.custom_op("mine::triple", mutates_args=())
def triple_op(x: torch.Tensor) -> torch.Tensor:
    o = torch.empty_like(x)
    triple_kernel[(1,)](x, o, x.numel(), B=triton.next_power_of_2(x.numel()))
    return o


def triple(x):
    return torch.ops.mine.triple(x)
