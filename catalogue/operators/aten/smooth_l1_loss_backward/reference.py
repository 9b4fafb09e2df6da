# SPDX-License-Identifier: Apache-2.0
"""grad clamp((self - target) / beta, -1, 1), over the number of elements for the mean."""
import torch

from kgbench.oracle import Expected

# Products of small factors flush in f32: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def smooth_l1_loss_backward(grad_output, self, target, reduction, beta):
    apart = self - target
    value = grad_output * torch.clamp(apart / beta, -1, 1)
    if reduction == 1:
        value = value / max(apart.numel(), 1)
    return Expected(value, magnitude=4 * abs(value) + FLUSHED)


def smooth_l1_loss_backward_grad_input(grad_output, self, target, reduction, beta, *, grad_input):
    return {"grad_input": smooth_l1_loss_backward(grad_output, self, target, reduction, beta)}
