# SPDX-License-Identifier: Apache-2.0
"""log(x + sqrt(x^2 - 1)), written around t = x - 1 so that nothing cancels near 1."""
import torch

from kgbench.oracle import Expected


def acosh(self):
    x = self.to(torch.float64)
    t = x - 1
    near = torch.log1p(t + torch.sqrt(t) * torch.sqrt(t + 2))
    value = torch.where(x > 1e15, torch.log(x) + torch.log(torch.tensor(2.0, dtype=torch.float64)), near)
    return Expected(value, magnitude=4 * abs(value))


def acosh_out(self, *, out):
    return {"out": acosh(self)}
