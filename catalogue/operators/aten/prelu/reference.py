# SPDX-License-Identifier: Apache-2.0
"""x above zero, weight x elsewhere; weights run along dimension 1."""
import torch


def prelu(self, weight):
    if weight.numel() != 1:
        weight = weight.reshape([1, -1] + [1] * (self.dim() - 2))
    else:
        weight = weight.reshape([1] * self.dim())
    return torch.where(self > 0, self, weight * self)
