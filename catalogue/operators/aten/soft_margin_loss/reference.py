# SPDX-License-Identifier: Apache-2.0
"""ln(1 + e^z) with z = -target self; then none, mean or sum."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def soft_margin_loss(self, target, reduction=1):
    z = -target * self
    value = torch.logaddexp(z, torch.zeros_like(z))
    return reduced(value, (4 + 3 * abs(torch.clamp(z, max=0))) * value + FLUSHED, reduction)


def soft_margin_loss_out(self, target, reduction=1, *, out):
    return {"out": soft_margin_loss(self, target, reduction)}


def reduced(value, magnitude, reduction):
    if reduction == 0:
        return Expected(value, magnitude=magnitude)
    count = torch.tensor(float(value.numel()) if reduction == 1 else 1.0, dtype=torch.float64)
    return Expected(value.sum() / count, magnitude=magnitude.sum() / count)
