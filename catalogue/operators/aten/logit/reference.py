# SPDX-License-Identifier: Apache-2.0
"""ln(x) - ln(1 - x) of x clamped to [eps, 1 - eps], by atanh around 1/2; NaN outside [0, 1] without eps."""
import torch

from kgbench.oracle import Expected


def logit(self, eps=None):
    x = self.to(torch.float64)
    slack = torch.full_like(x, 3.0)
    if eps is not None:
        slack = torch.where(x >= 1 - eps, 3 + 1 / eps, slack)
        x = torch.clamp(x, eps, 1 - eps)
    value = 2 * torch.atanh(2 * x - 1)
    far = abs(x - 0.5) > 0.25
    value = torch.where(far, torch.log(x) - torch.log1p(-x), value)
    return Expected(value, magnitude=2 * abs(value) + slack)


def logit_out(self, eps=None, *, out):
    return {"out": logit(self, eps)}
