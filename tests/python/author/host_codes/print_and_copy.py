# SPDX-License-Identifier: Apache-2.0
"""Debug prints behind a flag, deepcopy of a tensor, a try/except around an optional import."""
import copy as copying

import torch
import triton
import triton.language as tl

try:
    import xformers
    HAVE = xformers.__version__
except ImportError:
    HAVE = None


@triton.jit
def half_kernel(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n) * 0.5, mask=i < n)


def halve(x):
    state = copying.deepcopy({"x": x, "n": 3})
    assert HAVE is None and state["x"].shape == x.shape
    o = torch.empty_like(x)
    half_kernel[(1,)](state["x"], o, x.numel(), B=triton.next_power_of_2(x.numel()))
    return o
