# SPDX-License-Identifier: Apache-2.0
"""forward of an autograd Function under no_grad and inference_mode."""
import torch
import triton
import triton.language as tl


@triton.jit
def exp_kernel(x, o, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.exp(tl.load(x + i, mask=i < n)), mask=i < n)


class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.reshape(-1)
        o = torch.empty_like(x)
        exp_kernel[(1,)](x, o, x.numel(), B=triton.next_power_of_2(x.numel()))
        ctx.save_for_backward(o)
        return o

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError


def exp(x):
    with torch.inference_mode():
        return Exp.apply(x).reshape(x.shape)
