# SPDX-License-Identifier: Apache-2.0
"""x - (x mod 1) with the remainder of x's whole part; integers as they are."""
import torch


def floor(self):
    if not self.is_floating_point():
        return self
    whole = torch.trunc(self)
    return torch.where(whole > self, whole - 1, whole)


def floor_out(self, *, out):
    return {"out": floor(self)}
