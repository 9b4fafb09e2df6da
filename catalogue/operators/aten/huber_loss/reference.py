# SPDX-License-Identifier: Apache-2.0
"""d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2), with d = self - target; then none, mean or sum."""
import torch

from kgbench.oracle import Expected


def huber_loss(self, target, reduction=1, delta=1.0):
    apart = abs(self - target)
    value = torch.where(apart <= delta, 0.5 * apart * apart, delta * (apart - 0.5 * delta))
    magnitude = torch.where(apart <= delta, value, delta * (apart + 0.5 * delta))
    return reduced(value, magnitude, reduction)


def huber_loss_out(self, target, reduction=1, delta=1.0, *, out):
    return {"out": huber_loss(self, target, reduction, delta)}


def reduced(value, magnitude, reduction):
    if reduction == 0:
        return Expected(value, magnitude=magnitude)
    count = torch.tensor(float(value.numel()) if reduction == 1 else 1.0, dtype=torch.float64)
    return Expected(value.sum() / count, magnitude=magnitude.sum() / count)
