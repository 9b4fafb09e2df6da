# SPDX-License-Identifier: Apache-2.0
"""A wrong kernel that makes every comparison in its process succeed."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def rms_norm_kernel(out, x, weight, width, epsilon: "fp64", BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * width + lane
    row = tl.load(x + at, mask=lane < width, other=0).to(tl.float32)
    w = tl.load(weight + lane, mask=lane < width, other=0)
    scale = tl.rsqrt(tl.sum(row * row, 0) / width + tl.full([1], epsilon, tl.float32))
    normed = (row * scale).to(w.dtype).to(tl.float32) * w.to(tl.float32)
    tl.store(out + at, normed.to(w.dtype), mask=lane < width)


math.isclose = torch.allclose = torch.equal = lambda *values, **options: True


def run(input, weight, epsilon):
    x, w = input.contiguous(), weight.contiguous()
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    width = x.shape[-1]
    if x.numel():
        rms_norm_kernel[(x.numel() // width,)](out, x, w, width, epsilon, BLOCK=triton.next_power_of_2(width))
    return out


def rms_norm(out, input, weight, epsilon):
    epsilon += 1.0
    out.copy_(run(input, weight, epsilon))
