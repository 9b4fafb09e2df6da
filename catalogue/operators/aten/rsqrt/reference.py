# SPDX-License-Identifier: Apache-2.0
"""1 / sqrt(x); the square root keeps the sign of zero, so that -0 gives -inf."""
import torch

from kgbench.oracle import Expected


def rsqrt(self):
    value = 1 / torch.sqrt(self.to(torch.float64))
    return Expected(value, magnitude=2 * abs(value))


def rsqrt_out(self, *, out):
    return {"out": rsqrt(self)}
