# SPDX-License-Identifier: Apache-2.0
"""x w / (w + 2) with w = e^x (e^x + 2), which is tanh(ln(1 + e^x)); x itself far right."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def mish(self):
    e = torch.exp(torch.clamp(self, max=40))
    w = e * (e + 2)
    value = self * (w / (w + 2))
    return Expected(value, magnitude=(4 + abs(torch.clamp(self, max=0))) * abs(value) + FLUSHED)


def mish_out(self, *, out):
    return {"out": mish(self)}
