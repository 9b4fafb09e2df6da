# SPDX-License-Identifier: Apache-2.0
"""Every output gradient is added to the input pixel that the forward pass copied there."""
import math

import torch

from kgbench.oracle import Expected


def source(o, out_size, in_size, scale):
    """Input position behind output position o: floor(o * in / out), or floor(o / scale), and at most the last."""
    position = o * in_size // out_size if scale is None or scale <= 0 else math.floor(o / scale)
    return min(position, in_size - 1)


def upsample_nearest2d_backward(grad_output, output_size, input_size, scales_h=None, scales_w=None):
    n, c, ih, iw = input_size
    oh, ow = output_size
    value = torch.zeros((n, c, ih, iw), dtype=torch.float64)
    magnitude = torch.zeros((n, c, ih, iw), dtype=torch.float64)
    columns = torch.tensor([source(x, ow, iw, scales_w) for x in range(ow)], dtype=torch.int64)
    for y in range(oh):
        row = source(y, oh, ih, scales_h)
        value[:, :, row].index_add_(2, columns, grad_output[:, :, y])
        magnitude[:, :, row].index_add_(2, columns, abs(grad_output[:, :, y]))
    return Expected(value, magnitude=magnitude)


def upsample_nearest2d_backward_grad_input(grad_output, output_size, input_size, scales_h=None, scales_w=None, *,
                                           grad_input):
    return {"grad_input": upsample_nearest2d_backward(grad_output, output_size, input_size, scales_h, scales_w)}
