# SPDX-License-Identifier: Apache-2.0
"""y = alpha A x + beta y for a symmetric A; gaps between the elements of y stay."""
import torch

from kgbench.oracle import Expected

# A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld))


def symmetric(A, n, lda, uplo):
    """The matrix that the named triangle gives; the other triangle does not count, not even NaN."""
    keep = torch.ones(n, n, dtype=torch.bool)
    named = torch.where(keep.triu() if uplo else keep.tril(), matrix(A, n, n, lda), 0.0)
    return named + named.t() - torch.diag(torch.diagonal(named))


def csymv(uplo, n, alpha, A, lda, x, incx, beta, y, incy):
    value, magnitude = y.clone(), abs(y)
    if n <= 0:
        return {"y": value}
    at = places(n, incy)
    # With beta = 0 what y holds does not count, and with alpha = 0 what A and x hold does not: not even NaN.
    result = torch.zeros_like(y[at]) if beta == 0 else beta * y[at]
    size = abs(result)
    if alpha != 0:
        a, v = symmetric(A, n, lda, uplo), x[places(n, incx)]
        result, size = result + alpha * (a @ v), size + abs(alpha) * (abs(a) @ abs(v)) + n * UNDERFLOW
    value[at], magnitude[at] = result, size
    return {"y": Expected(value, magnitude=magnitude)}
