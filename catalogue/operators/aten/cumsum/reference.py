# SPDX-License-Identifier: Apache-2.0
"""out[i] = x[0] + ... + x[i] along a dimension; the magnitude is the same sum of absolute values."""
import torch

from kgbench.oracle import Expected, round_to

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def cumsum(self, dim, *, dtype=None):
    x = self
    if dtype in FLOATS:
        x = round_to(x.to(torch.float64), dtype)
    if not x.is_floating_point():
        return torch.cumsum(x.to(torch.int64), dim)
    return Expected(torch.cumsum(x, dim), magnitude=torch.cumsum(abs(x), dim), dtype=dtype)


def cumsum_out(self, dim, *, dtype=None, out):
    return {"out": cumsum(self, dim, dtype=dtype)}
