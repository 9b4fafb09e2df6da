# SPDX-License-Identifier: Apache-2.0
"""theta (x, y, [z,] 1) for every pixel, coordinates from -1 to 1: pixel centres, or corners where they are aligned."""
import torch

from kgbench.oracle import Expected


def axis(n, align_corners):
    i = torch.arange(n, dtype=torch.float64)
    if not align_corners:
        return (2 * i + 1) / n - 1
    return 2 * i / (n - 1) - 1 if n > 1 else torch.zeros(1, dtype=torch.float64)


def affine_grid_generator(theta, size, align_corners):
    axes = torch.meshgrid(*[axis(n, align_corners) for n in size[2:]], indexing="ij")
    base = torch.stack([*reversed(axes), torch.ones_like(axes[0])], -1)  # x first; [..., rank + 1]
    flat = base.reshape(1, -1, base.shape[-1])
    across = theta.transpose(1, 2)
    shape = [size[0], *size[2:], len(size) - 2]
    # A coordinate is rounded at the size of the quotient, before 1 is taken off: near the centre that is all of it.
    rounded = abs(flat) + torch.tensor([1.0] * (flat.shape[-1] - 1) + [0.0], dtype=torch.float64)
    return Expected((flat @ across).reshape(shape), magnitude=(rounded @ abs(across)).reshape(shape))


def affine_grid_generator_out(theta, size, align_corners, *, out):
    return {"out": affine_grid_generator(theta, size, align_corners)}
