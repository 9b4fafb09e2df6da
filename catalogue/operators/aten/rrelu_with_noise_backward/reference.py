# SPDX-License-Identifier: Apache-2.0
"""grad noise in training with different bounds; else grad above zero and grad (lower + upper) / 2 elsewhere."""
import torch


def rrelu_with_noise_backward(grad_output, self, noise, lower, upper, training, self_is_result):
    if training and upper - lower > 1e-6:
        return grad_output * noise
    return torch.where(self > 0, grad_output, grad_output * ((lower + upper) / 2))


def rrelu_with_noise_backward_out(grad_output, self, noise, lower, upper, training, self_is_result, *, out):
    return {"out": rrelu_with_noise_backward(grad_output, self, noise, lower, upper, training, self_is_result)}
