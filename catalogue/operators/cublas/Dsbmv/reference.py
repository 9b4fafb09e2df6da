# SPDX-License-Identifier: Apache-2.0
"""y = alpha A x + beta y for a symmetric band matrix; only the cells of the named half count."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def dsbmv(uplo, n, k, alpha, A, lda, x, incx, beta, y, incy):
    value, magnitude = y.clone(), abs(y)
    if n <= 0:
        return {"y": value}
    at = places(n, incy)
    # With beta = 0 what y holds does not count, and with alpha = 0 what A and x hold does not: not even NaN.
    result = torch.zeros_like(y[at]) if beta == 0 else beta * y[at]
    size = abs(result)
    if alpha != 0:
        v = x[places(n, incx)]
        for away in range(min(k, n - 1) + 1):  # one diagonal after the other, each but the first on both sides
            j = torch.arange(away, n) if uplo else torch.arange(n - away)
            i = j - away if uplo else j + away
            cells = alpha * A[(k - away if uplo else away) + j * lda]
            for to, of in [(i, j), (j, i)][: 1 + (away > 0)]:
                result[to] += cells * v[of]
                size[to] += abs(cells * v[of])
    value[at], magnitude[at] = result, size
    return {"y": Expected(value, magnitude=magnitude)}
