# SPDX-License-Identifier: Apache-2.0
"""grad (t + x s (1 - t^2)) with t = tanh(ln(1 + e^x)) and s = sigmoid(x)."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def mish_backward(grad_output, self):
    s = torch.sigmoid(self)
    w = torch.exp(torch.clamp(self, max=100)) * (torch.exp(torch.clamp(self, max=100)) + 2)
    t = w / (w + 2)
    rest = 4 * (w + 1) / (w + 2) / (w + 2)  # 1 - t^2 without cancellation
    value = grad_output * (t + self * s * rest)
    size = abs(torch.clamp(self, max=40))  # from there on 1 - t^2 is nothing in fp64, however it is computed
    magnitude = abs(grad_output) * ((t + size * s) * (8 + abs(torch.clamp(self, max=0))) + FLUSHED)
    return Expected(value, magnitude=magnitude + FLUSHED)
