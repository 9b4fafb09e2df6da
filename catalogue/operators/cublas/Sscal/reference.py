# SPDX-License-Identifier: Apache-2.0
"""x[k] = alpha x[k]; what lies between the elements stays."""
import torch

from kgbench.oracle import Expected


def sscal(n, alpha, x, incx):
    value, magnitude = x.clone(), abs(x)
    at = torch.arange(max(n, 0)) * incx
    value[at] = alpha * x[at]
    # alpha itself rounds to f32, and a product below the normal range loses 2^-150: 2^-126 in units of f32's roundoff.
    magnitude[at] = abs(value[at]) + 2.0**-126
    return {"x": Expected(value, magnitude=magnitude)}
