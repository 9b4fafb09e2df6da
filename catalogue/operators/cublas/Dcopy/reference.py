# SPDX-License-Identifier: Apache-2.0
"""y[k] = x[k]; with a negative increment a vector is walked from its end. What lies between the elements of y stays."""
import torch


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def dcopy(n, x, incx, y, incy):
    value = y.clone()
    value[places(n, incy)] = x[places(n, incx)]
    return {"y": value}
