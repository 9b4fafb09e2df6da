# SPDX-License-Identifier: Apache-2.0
"""x[k] and y[k] change places; with a negative increment a vector is walked from its end. What lies between stays."""
import torch


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def zswap(n, x, incx, y, incy):
    new_x, new_y = x.clone(), y.clone()
    at_x, at_y = places(n, incx), places(n, incy)
    new_x[at_x], new_y[at_y] = y[at_y], x[at_x]
    return {"x": new_x, "y": new_y}
