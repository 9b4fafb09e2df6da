# SPDX-License-Identifier: Apache-2.0
"""max(0, -target (input1 - input2) + margin); NaN stays; then none, mean or sum."""
import torch

from kgbench.oracle import Expected


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=1):
    product = target * (input2 - input1)
    value = product + margin
    magnitude = abs(product) + abs(margin)
    return reduced(torch.where(value < 0, 0.0, value), magnitude, reduction)


def reduced(value, magnitude, reduction):
    if reduction == 0:
        return Expected(value, magnitude=magnitude)
    count = torch.tensor(float(value.numel()) if reduction == 1 else 1.0, dtype=torch.float64)
    return Expected(value.sum() / count, magnitude=magnitude.sum() / count)
