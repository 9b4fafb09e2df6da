# SPDX-License-Identifier: Apache-2.0
"""Two halves of one tensor on two streams that do not wait for each other: nothing is touched twice."""
import torch
import triton
import triton.language as tl


@triton.jit
def negate(x, o, start, n, B: tl.constexpr):
    i = start + tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, -tl.load(x + i, mask=i < n), mask=i < n)


def neg(x):
    o, half = torch.empty_like(x), x.numel() // 2
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        negate[(triton.cdiv(half, 128),)](x, o, 0, half, B=128)
    negate[(triton.cdiv(half, 128),)](x, o, half, x.numel(), B=128)
    torch.cuda.synchronize()
    return o
