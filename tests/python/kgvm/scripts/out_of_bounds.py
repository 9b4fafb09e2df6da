# SPDX-License-Identifier: Apache-2.0
"""A kernel that forgot its mask: reads and writes past the end of its vectors."""
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, 2 * x)  # no mask


x = torch.rand(1000, device="cuda")
out = torch.empty_like(x)
scale_kernel[(4,)](x, out, 1000, BLOCK=256)
print("after the launch")
