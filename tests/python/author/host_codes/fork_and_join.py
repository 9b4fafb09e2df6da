# SPDX-License-Identifier: Apache-2.0
"""Two side streams that start from the caller's, each with work of its own, joined by an event and a wait."""
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x, o, s, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) * s, mask=i < n)


@triton.jit
def plus(a, b, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(a + i, mask=i < n) + tl.load(b + i, mask=i < n), mask=i < n)


left, right = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)


def five_times(x):
    n, here = x.numel(), torch.cuda.current_stream()
    twice, thrice, o = torch.empty_like(x), torch.empty_like(x), torch.empty_like(x)
    left.wait_stream(here)
    right.wait_event(here.record_event())
    with torch.cuda.stream(left):
        scale[(triton.cdiv(n, 128),)](x, twice, 2.0, n, B=128)
    with right:
        scale[(triton.cdiv(n, 128),)](x, thrice, 3.0, n, B=128)
        done = torch.cuda.Event()
        done.record()
    here.wait_stream(left)
    done.wait()
    for t in (twice, thrice):
        t.record_stream(here)
    plus[(triton.cdiv(n, 128),)](twice, thrice, o, n, B=128)
    return o
