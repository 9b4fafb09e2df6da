# SPDX-License-Identifier: Apache-2.0
"""-weight (pos_weight target ln s + (1 - target) ln(1 - s)) with s = sigmoid(self); then none, mean or sum."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=1):
    weight = torch.ones_like(self) if weight is None else weight.expand(self.shape)
    pos_weight = torch.ones_like(self) if pos_weight is None else pos_weight.expand(self.shape)
    zero = torch.zeros_like(self)
    value = pos_weight * target * torch.logaddexp(-self, zero) + (1 - target) * torch.logaddexp(self, zero)
    soft = torch.clamp(-self, min=0) + (4 + abs(self)) * torch.log1p(torch.exp(-abs(self)))
    magnitude = abs((1 - target) * self) + (1 + (abs(pos_weight) + 1) * abs(target)) * soft + FLUSHED
    return reduced(weight * value, abs(weight) * magnitude, reduction)


def binary_cross_entropy_with_logits_out(self, target, weight=None, pos_weight=None, reduction=1, *, out):
    return {"out": binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction)}


def reduced(value, magnitude, reduction):
    if reduction == 0:
        return Expected(value, magnitude=magnitude)
    count = torch.tensor(float(value.numel()) if reduction == 1 else 1.0, dtype=torch.float64)
    return Expected(value.sum() / count, magnitude=magnitude.sum() / count)
