# SPDX-License-Identifier: Apache-2.0
"""Each element of the padded gradient is added to the element that the padding copied."""
import torch

from kgbench.oracle import Expected


def reflection_pad1d_backward(grad_output, self, padding):
    width, (left, _) = self.shape[-1], padding
    place = torch.arange(grad_output.shape[-1]) - left
    place = abs(place)
    place = torch.where(place >= width, 2 * (width - 1) - place, place)
    zeros = torch.zeros(self.shape, dtype=torch.float64)
    add = lambda grads: zeros.index_add(-1, place, grads)
    return Expected(add(grad_output), magnitude=add(abs(grad_output)))


def reflection_pad1d_backward_grad_input(grad_output, self, padding, *, grad_input):
    return {"grad_input": reflection_pad1d_backward(grad_output, self, padding)}
