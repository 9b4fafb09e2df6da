# SPDX-License-Identifier: Apache-2.0
"""scale_a * (scale_b * (a @ b)) + bias, scales per row, per column or one for all."""
import torch

from kgbench.oracle import Expected


def cutlass_scaled_mm(a, b, scale_a, scale_b, out_dtype, bias=None):
    x, w = a.to(torch.float64), b.to(torch.float64)  # int8 sums are exact in fp64 too
    rows, columns = scale_a.reshape(-1, 1), scale_b.reshape(1, -1)
    value, magnitude = rows * columns * (x @ w), abs(rows * columns) * (abs(x) @ abs(w))
    if not a.is_floating_point():
        magnitude = abs(value)
    if bias is not None:
        value, magnitude = value + bias, magnitude + abs(bias)
    return Expected(value, magnitude=magnitude, dtype=out_dtype)
