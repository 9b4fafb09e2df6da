# SPDX-License-Identifier: Apache-2.0
"""sin(x) in fp64."""
import torch

from kgbench.oracle import Expected


def sin(self):
    value = torch.sin(self.to(torch.float64))
    return Expected(value, magnitude=2 * abs(value))


def sin_out(self, *, out):
    return {"out": sin(self)}
