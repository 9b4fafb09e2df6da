# SPDX-License-Identifier: Apache-2.0
"""Zeros of the input's shape, with the gradient in slice `index` along dim."""
import torch


def select_backward(grad_output, input_sizes, dim, index):
    place = torch.arange(input_sizes[dim]) == index % input_sizes[dim]
    walk = [1] * len(input_sizes)
    walk[dim] = input_sizes[dim]
    spread = grad_output.unsqueeze(dim).expand(input_sizes)
    return torch.where(place.reshape(walk), spread, torch.zeros((), dtype=grad_output.dtype))


def select_backward_out(grad_output, input_sizes, dim, index, *, out):
    return {"out": select_backward(grad_output, input_sizes, dim, index)}
