# SPDX-License-Identifier: Apache-2.0
"""e^(x - max) / sum e^(x - max) along a dimension; backward y (g - sum(g y))."""
import torch

from kgbench.oracle import Expected

# A subnormal exponential may be flushed to zero: 2^-126 in units of f32's roundoff 2^-24.
FLUSHED = 2.0**-102


def _softmax(self, dim, half_to_float):
    kind = torch.float32 if half_to_float else None
    if self.numel() == 0:
        return Expected(self, dtype=kind)
    distance = self - self.amax(dim, keepdim=True)
    weight = torch.exp(distance)
    value = weight / weight.sum(dim, keepdim=True)
    return Expected(value, magnitude=value * (2 + (-distance).clamp(max=1000)) + FLUSHED, dtype=kind)


def _softmax_out(self, dim, half_to_float, *, out):
    return {"out": _softmax(self, dim, half_to_float)}


def _softmax_backward_data(grad_output, output, dim, input_dtype):
    product = grad_output * output
    value = output * (grad_output - product.sum(dim, keepdim=True))
    magnitude = abs(output) * (abs(grad_output) + abs(product).sum(dim, keepdim=True)) + FLUSHED
    return Expected(value, magnitude=magnitude, dtype=input_dtype)


def _softmax_backward_data_out(grad_output, output, dim, input_dtype, *, grad_input):
    return {"grad_input": _softmax_backward_data(grad_output, output, dim, input_dtype)}
