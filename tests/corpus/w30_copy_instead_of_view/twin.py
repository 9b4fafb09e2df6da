# SPDX-License-Identifier: Apache-2.0
"""Always copies: callers of reshape may not rely on a view."""
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(out, x, n, shape, strides):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    rest = i
    at = i * 0
    for d in tl.static_range(len(shape) - 1, -1, -1):
        at += rest % shape[d] * strides[d]
        rest = rest // shape[d]
    tl.store(out + i, tl.load(x + at, mask=i < n), mask=i < n)


def reshape(self, shape):
    out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    n = self.numel()
    if n:
        copy_kernel[(triton.cdiv(n, 256),)](out, self, n, tuple(self.shape) or (1,), self.stride() or (1,))
    return out.view(shape)
