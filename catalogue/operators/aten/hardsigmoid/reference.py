# SPDX-License-Identifier: Apache-2.0
"""A line of slope 1/6 through (0, 1/2), clamped to [0, 1]."""
import torch

from kgbench.oracle import Expected


def hardsigmoid(self):
    line = self / 6 + 0.5
    value = torch.clamp(line, 0, 1)
    inside = (line > 0) & (line < 1)
    return Expected(value, magnitude=torch.where(inside, abs(self) / 6 + 0.5, abs(value)))


def hardsigmoid_out(self, *, out):
    return {"out": hardsigmoid(self)}
