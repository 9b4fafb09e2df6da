# SPDX-License-Identifier: Apache-2.0
"""grad sigmoid(beta x), and grad itself where beta x > threshold."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def softplus_backward(grad_output, self, beta, threshold):
    scaled = self * beta
    slope = torch.where(scaled > threshold, 1.0, torch.sigmoid(scaled))
    factor = slope * (6 + 2 * abs(torch.clamp(scaled, -800, 0))) + FLUSHED
    return Expected(grad_output * slope, magnitude=abs(grad_output) * factor + FLUSHED)


def softplus_backward_grad_input(grad_output, self, beta, threshold, *, grad_input):
    return {"grad_input": softplus_backward(grad_output, self, beta, threshold)}
