# SPDX-License-Identifier: Apache-2.0
"""A step from 0 to 1 with the given value at zero."""
import torch


def heaviside(self, values):
    step = (self > 0).to(self.dtype)
    return torch.where(self == 0, values, step)


def heaviside_out(self, values, *, out):
    return {"out": heaviside(self, values)}
