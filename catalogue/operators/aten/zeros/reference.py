# SPDX-License-Identifier: Apache-2.0
"""Zeros of the given size."""
import torch

from kgbench.oracle import Expected


def zeros(size, *, dtype=None):
    return Expected(torch.zeros(size, dtype=torch.float64), dtype=dtype)


def zeros_out(size, *, out):
    return {"out": torch.zeros(size, dtype=out.dtype)}
