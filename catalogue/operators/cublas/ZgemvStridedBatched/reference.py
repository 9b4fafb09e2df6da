# SPDX-License-Identifier: Apache-2.0
"""y[i] = alpha op(A[i]) x[i] + beta y[i] at fixed distances in flat column-major memory; gaps in y stay."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def product(trans, m, n, alpha, A, lda, x, incx, beta, y, incy):
    """The elements of the new y and the magnitude of their errors."""
    a = A.as_strided((m, n), (1, lda), A.storage_offset())
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
        result, size = result + alpha * (a @ v), size + abs(alpha) * (abs(a) @ abs(v))
    return result, size


def zgemv_strided_batched(trans, m, n, alpha, A, lda, stride_a, x, incx, stride_x, beta, y, incy, stride_y, batch):
    value, magnitude = y.clone(), abs(y)
    if m <= 0 or n <= 0:
        return {"y": value}
    at = places(m if trans == "N" else n, incy)
    for i in range(batch):
        a, v, w = A[i * stride_a :], x[i * stride_x :], y[i * stride_y :]
        spots = at + i * stride_y
        value[spots], magnitude[spots] = product(trans, m, n, alpha, a, lda, v, incx, beta, w, incy)
    return {"y": Expected(value, magnitude=magnitude)}
