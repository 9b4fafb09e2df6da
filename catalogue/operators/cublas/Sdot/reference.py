# SPDX-License-Identifier: Apache-2.0
"""result = sum of x[k] y[k]; with a negative increment the vector is walked from its end."""
import torch

from kgbench.oracle import Expected


def elements(x, n, inc):
    """x[0] .. x[n-1] of a vector with an increment: element k at k * inc, or at (k - (n - 1)) * inc when negative."""
    k = torch.arange(max(n, 0))
    return x[k * inc if inc >= 0 else (k - (n - 1)) * inc]


def sdot(n, x, incx, y, incy, result):
    # A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
    products = elements(x, n, incx) * elements(y, n, incy)
    magnitude = abs(products).sum() + len(products) * 2.0**-126
    return {"result": Expected(products.sum().reshape(1), magnitude=magnitude.reshape(1))}
