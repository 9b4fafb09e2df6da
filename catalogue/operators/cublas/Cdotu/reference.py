# SPDX-License-Identifier: Apache-2.0
"""result = sum of x[k] y[k]; with a negative increment the vector is walked from its end."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def cdotu(n, x, incx, y, incy, result):
    products = x[places(n, incx)] * y[places(n, incy)]
    # A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
    magnitude = abs(products).sum() + len(products) * 2.0**-126
    return {"result": Expected(products.sum().reshape(1), magnitude=magnitude.reshape(1))}
