# SPDX-License-Identifier: Apache-2.0
"""I0(x) = e^|x| times the scaled Bessel function, in fp64."""
import torch

from kgbench.oracle import Expected


def i0(self):
    x = abs(self.to(torch.float64))
    value = torch.exp(x / 2) * torch.special.i0e(x) * torch.exp(x / 2)  # halves: e^x overflows before I0 does
    value = torch.where(torch.isinf(x), x, value)
    return Expected(value, magnitude=(6 + x) * value)


def i0_out(self, *, out):
    return {"out": i0(self)}
