# SPDX-License-Identifier: Apache-2.0
"""x sigmoid(x); its gradient grad s (1 + x (1 - s)) with s = sigmoid(x)."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def silu(self):
    value = self / (1 + torch.exp(-self))
    return Expected(value, magnitude=(4 + abs(torch.clamp(self, max=0))) * abs(value) + FLUSHED)


def silu_out(self, *, out):
    return {"out": silu(self)}


def silu_backward(grad_output, self):
    s = torch.sigmoid(self)
    value = grad_output * (s + self * s * torch.sigmoid(-self))
    factor = s * (1 + abs(self)) * (4 + abs(torch.clamp(self, max=0))) + FLUSHED
    return Expected(value, magnitude=abs(grad_output) * factor + FLUSHED)


def silu_backward_grad_input(grad_output, self, *, grad_input):
    return {"grad_input": silu_backward(grad_output, self)}
