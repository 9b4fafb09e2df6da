# SPDX-License-Identifier: Apache-2.0
"""A kernel behind torch.library.triton_op, and one behind custom_op with an autograd formula."""
import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton


@triton.jit
def sine_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.sin(tl.load(x_ptr + i, mask=i < n)), mask=i < n)


@triton_op("kgvmtest::sine", mutates_args={})
def sine(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    wrap_triton(sine_kernel)[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), 64)
    return out


@torch.library.custom_op("kgvmtest::sine2", mutates_args=(), device_types="cuda")
def sine2(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    sine_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), 64)
    return out


x = torch.rand(100, device="cuda")
torch.testing.assert_close(sine(x), x.sin())
torch.testing.assert_close(torch.ops.kgvmtest.sine(x), x.sin())
torch.testing.assert_close(sine2(x), x.sin())
print("ok")
