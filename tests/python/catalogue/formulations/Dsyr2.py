# SPDX-License-Identifier: Apache-2.0
"""Dsyr2 element by element of the named triangle."""
from formulations.blas_memory import columns, walk
from independent import array, tensor


def answer(entry, uplo, n, alpha, x, incx, y, incy, A, lda):
    out = array(A).copy()
    a, v, w = columns(out, n, n, lda), walk(array(x), n, incx), walk(array(y), n, incy)
    for j in range(n):
        for i in range(j + 1) if uplo else range(j, n):
            a[i, j] += alpha * v[i] * w[j] + alpha * w[i] * v[j]
    return {"A": tensor(out)}
