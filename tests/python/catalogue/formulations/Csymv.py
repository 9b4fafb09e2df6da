# SPDX-License-Identifier: Apache-2.0
"""Csymv column by column of the full symmetric matrix."""
import numpy as np
from formulations.blas_memory import columns, mirrored, walk
from independent import array, tensor


def answer(entry, uplo, n, alpha, A, lda, x, incx, beta, y, incy):
    out = array(y).copy()
    if n > 0:
        target = walk(out, n, incy)
        result = np.zeros(n, out.dtype) if beta == 0 else beta * target
        if alpha != 0:
            full = mirrored(columns(array(A), n, n, lda), uplo)
            for factor, column in zip(walk(array(x), n, incx), full.T):
                result = result + alpha * (factor * column)
        target[:] = result
    return {"y": tensor(out)}
