# SPDX-License-Identifier: Apache-2.0
"""Zgerc one column after the other, in loops."""
from formulations.blas_memory import columns, walk
from independent import array, tensor


def answer(entry, m, n, alpha, x, incx, y, incy, A, lda):
    out = array(A).copy()
    a, left, right = columns(out, m, n, lda), walk(array(x), m, incx), walk(array(y), n, incy)
    for j in range(n):
        factor = alpha * right[j].conjugate()
        for i in range(m):
            a[i, j] += left[i] * factor
    return {"A": tensor(out)}
