# SPDX-License-Identifier: Apache-2.0
"""y[j] = sum over i of (-1)^popcount(i & j) x[i] / sqrt(H), by butterflies."""
import torch

from kgbench.oracle import Expected


def hadacore_transform(x, inplace=True):
    size = x.shape[-1]
    y, half = x.reshape(-1, size), 1
    while half < size:
        pairs = y.reshape(-1, size // (2 * half), 2, half)
        y = torch.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], 2).reshape(-1, size)
        half *= 2
    value = y.reshape(x.shape) / size**0.5
    root_mean_square = torch.sqrt((x * x).mean(-1, keepdim=True))
    return {"x": Expected(value, magnitude=torch.maximum(root_mean_square.expand(x.shape), abs(value)))}
