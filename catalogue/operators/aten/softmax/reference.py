# SPDX-License-Identifier: Apache-2.0
"""e^(x - max) / sum e^(x - max) along a dimension."""
import torch

from kgbench.oracle import Expected, round_to

# A subnormal exponential may be flushed to zero: 2^-126 in units of f32's roundoff 2^-24.
FLUSHED = 2.0**-102


def softmax(self, dim, dtype=None):
    x = self.to(torch.float64)
    if dtype is not None:
        x = round_to(x, dtype)
    if x.numel() == 0:
        return Expected(x, dtype=dtype)
    distance = x - x.amax(dim, keepdim=True)
    weight = torch.exp(distance)
    value = weight / weight.sum(dim, keepdim=True)
    return Expected(value, magnitude=value * (2 + (-distance).clamp(max=1000)) + FLUSHED, dtype=dtype)


def softmax_out(self, dim, dtype=None, *, out):
    return {"out": softmax(self, dim, dtype)}
