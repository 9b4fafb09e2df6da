# SPDX-License-Identifier: Apache-2.0
"""(e^h)^2 / 2 + (e^-h)^2 / 2 with h = |x| / 2, which overflows only where cosh does."""
import torch

from kgbench.oracle import Expected


def cosh(self):
    half = torch.exp(abs(self.to(torch.float64)) / 2)
    value = half / 2 * half + 1 / half / 2 / half
    return Expected(value, magnitude=2 * abs(value))


def cosh_out(self, *, out):
    return {"out": cosh(self)}
