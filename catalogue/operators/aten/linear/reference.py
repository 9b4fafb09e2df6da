# SPDX-License-Identifier: Apache-2.0
"""out[..., j] = bias[j] + sum over k of input[..., k] * weight[j, k]; the magnitude is the same of absolute values."""
from kgbench.oracle import Expected

# Each product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def product(input, weight):
    rows = input.reshape(-1, input.shape[-1]) if input.numel() else input.new_zeros(
        (input.shape[:-1].numel(), input.shape[-1]))
    return (rows @ weight.T).reshape(*input.shape[:-1], weight.shape[0])


def linear(input, weight, bias=None):
    value = product(input, weight)
    magnitude = product(abs(input), abs(weight)) + input.shape[-1] * UNDERFLOW
    if bias is not None:
        value, magnitude = value + bias, magnitude + abs(bias)
    return Expected(value, magnitude=magnitude)


def linear_out(input, weight, bias=None, *, out):
    return {"out": linear(input, weight, bias)}
