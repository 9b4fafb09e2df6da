# SPDX-License-Identifier: Apache-2.0
"""max + log2(1 + 2^-|difference|); of equal infinities that infinity."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def logaddexp2(self, other):
    larger = torch.maximum(self, other)
    apart = torch.where(self == other, 0.0, abs(self - other))
    rest = torch.log1p(torch.exp2(-apart)) / torch.log(torch.tensor(2.0, dtype=torch.float64))
    return Expected(larger + rest, magnitude=abs(larger) + (4 + torch.clamp(apart, max=2000)) * rest + FLUSHED)


def logaddexp2_out(self, other, *, out):
    return {"out": logaddexp2(self, other)}
