# SPDX-License-Identifier: Apache-2.0
"""y[k] += alpha x[k]; with a negative increment a vector is walked from its end. What lies between the elements stays."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def saxpy(n, alpha, x, incx, y, incy):
    value, magnitude = y.clone(), abs(y)
    at, product = places(n, incy), alpha * x[places(n, incx)]
    value[at] = y[at] + product
    # A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
    magnitude[at] = abs(y[at]) + abs(product) + 2.0**-126
    return {"y": Expected(value, magnitude=magnitude)}
