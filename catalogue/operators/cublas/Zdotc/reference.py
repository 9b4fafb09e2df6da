# SPDX-License-Identifier: Apache-2.0
"""result = sum of conj(x[k]) y[k]; with a negative increment the vector is walked from its end."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def zdotc(n, x, incx, y, incy, result):
    products = x[places(n, incx)].conj().resolve_conj() * y[places(n, incy)]
    magnitude = abs(products).sum()
    return {"result": Expected(products.sum().reshape(1), magnitude=magnitude.reshape(1))}
