# SPDX-License-Identifier: Apache-2.0
"""A module with parameters, built at import and moved to the device."""
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def affine_kernel(x, w, b, o, n_cols, BLOCK: tl.constexpr):
    r = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    m = c < n_cols
    v = tl.load(x + r * n_cols + c, mask=m) * tl.load(w + c, mask=m) + tl.load(b + c, mask=m)
    tl.store(o + r * n_cols + c, v, mask=m)


class Affine(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.full((n,), 2.0))
        self.bias = nn.Parameter(torch.zeros(n))
        self.register_buffer("scale", torch.ones(n))

    @torch.no_grad()
    def forward(self, x):
        out = torch.empty_like(x)
        affine_kernel[(x.shape[0],)](x, self.weight, self.bias, out, x.shape[1],
                                     BLOCK=triton.next_power_of_2(x.shape[1]))
        return out


MODEL = Affine(32).cuda().eval()


def affine(x):
    return MODEL(x)
