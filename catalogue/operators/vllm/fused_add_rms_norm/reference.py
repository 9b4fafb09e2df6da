# SPDX-License-Identifier: Apache-2.0
"""residual = round(input + residual); input = round(round(residual / sqrt(mean(residual^2) + epsilon)) * weight)."""
import torch

from kgbench.oracle import Expected, round_to


def fused_add_rms_norm(input, residual, weight, epsilon, *, dtypes):
    total = input + residual
    z = round_to(total, dtypes["input"])
    normed = z / torch.sqrt((z * z).mean(-1, keepdim=True) + epsilon)
    return {
        "input": Expected(round_to(normed, dtypes["input"]) * weight),
        "residual": Expected(z, magnitude=abs(total)),
    }
