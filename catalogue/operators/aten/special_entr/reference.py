# SPDX-License-Identifier: Apache-2.0
"""-x ln x in fp64, by cases."""
import torch

from kgbench.oracle import Expected


def special_entr(self):
    x = self.to(torch.float64)
    value = torch.where(x > 0, -x * torch.log(x), torch.where(x < 0, -torch.inf, x * 0))
    return Expected(value, magnitude=4 * abs(value))


def special_entr_out(self, *, out):
    return {"out": special_entr(self)}
