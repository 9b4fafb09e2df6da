# SPDX-License-Identifier: Apache-2.0
"""Block size and evenness by @triton.heuristics."""
import torch
import triton
import triton.language as tl


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"]),
                    "EVEN": lambda args: args["n"] % 16 == 0})
@triton.jit
def negate_kernel(x, o, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if EVEN:
        v = tl.load(x + i, mask=i < n)
    else:
        v = tl.load(x + i, mask=i < n, other=0)
    tl.store(o + i, -v, mask=i < n)


def neg(x):
    o = torch.empty_like(x)
    negate_kernel[(1,)](x, o, x.numel())
    return o
