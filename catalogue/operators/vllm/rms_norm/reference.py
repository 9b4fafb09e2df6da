# SPDX-License-Identifier: Apache-2.0
"""out = round(round(x / sqrt(mean(x^2) + epsilon)) * weight), both roundings to the type of the tensors."""
import torch

from kgbench.oracle import Expected, round_to


def rms_norm(out, input, weight, epsilon, *, dtypes):
    mean_square = (input * input).mean(-1, keepdim=True)
    normed = input / torch.sqrt(mean_square + epsilon)
    return {"out": Expected(round_to(normed, dtypes["input"]) * weight)}
