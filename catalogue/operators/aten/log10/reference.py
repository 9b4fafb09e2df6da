# SPDX-License-Identifier: Apache-2.0
"""log2(x) / log2(10), and through log1p(x - 1) around 1."""
import torch

from kgbench.oracle import Expected


def log10(self):
    x = self.to(torch.float64)
    ten = torch.tensor(10.0, dtype=torch.float64)
    value = torch.where(abs(x - 1) < 0.25, torch.log1p(x - 1) / torch.log(ten), torch.log2(x) / torch.log2(ten))
    return Expected(value, magnitude=2 * abs(value))


def log10_out(self, *, out):
    return {"out": log10(self)}
