# SPDX-License-Identifier: Apache-2.0
"""scale_a * (scale_b * (a @ b - azp azp_adj)) + bias; without azp its product with the sums is in azp_adj already."""
import torch

from kgbench.oracle import Expected


def cutlass_scaled_mm_azp(a, b, scale_a, scale_b, out_dtype, azp_adj, azp=None, bias=None):
    exact = a.to(torch.float64) @ b.to(torch.float64)
    exact = exact - azp_adj * (1 if azp is None else azp[:, None])
    value = scale_a.reshape(-1, 1) * scale_b.reshape(1, -1) * exact
    magnitude = abs(value)
    if bias is not None:
        value, magnitude = value + bias, magnitude + abs(bias)
    return Expected(value, magnitude=magnitude, dtype=out_dtype)
