# SPDX-License-Identifier: Apache-2.0
"""grad sigmoid(-x)."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def log_sigmoid_backward(grad_output, self, buffer):
    value = grad_output * torch.sigmoid(-self)
    factor = torch.sigmoid(-self) * (6 + torch.clamp(self, 0, 800)) + FLUSHED
    return Expected(value, magnitude=abs(grad_output) * factor + FLUSHED)


def log_sigmoid_backward_grad_input(grad_output, self, buffer, *, grad_input):
    return {"grad_input": log_sigmoid_backward(grad_output, self, buffer)}
