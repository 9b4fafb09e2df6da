# SPDX-License-Identifier: Apache-2.0
"""y = alpha op(A) x + beta y on flat column-major memory; gaps between the elements of y stay."""
import torch

from kgbench.oracle import Expected

# A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def product(trans, m, n, alpha, A, lda, x, incx, beta, y, incy):
    """The elements of the new y and the magnitude of their errors."""
    a = A.as_strided((m, n), (1, lda))
    if trans == "C":
        a = a.conj().resolve_conj()
    if trans != "N":
        a = a.t()
    old = y[places(a.shape[0], incy)]
    # With beta = 0 what y holds does not count, and with alpha = 0 what A and x hold does not: not even NaN.
    result = torch.zeros_like(old) if beta == 0 else beta * old
    size = abs(result)
    if alpha != 0:
        v = x[places(a.shape[1], incx)]
        result, size = result + alpha * (a @ v), size + abs(alpha) * (abs(a) @ abs(v)) + a.shape[1] * UNDERFLOW
    return result, size


def cgemv(trans, m, n, alpha, A, lda, x, incx, beta, y, incy):
    value, magnitude = y.clone(), abs(y)
    if m <= 0 or n <= 0:
        return {"y": value}
    at = places(m if trans == "N" else n, incy)
    value[at], magnitude[at] = product(trans, m, n, alpha, A, lda, x, incx, beta, y, incy)
    return {"y": Expected(value, magnitude=magnitude)}
