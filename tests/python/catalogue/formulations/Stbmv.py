# SPDX-License-Identifier: Apache-2.0
"""Stbmv through SciPy's dtbmv on a band whose unused cells are zeros."""
import numpy as np
import scipy.linalg.blas
from formulations.blas_memory import unbanded, walk
from independent import array, tensor


def answer(entry, uplo, trans, diag, n, k, A, lda, x, incx):
    out = array(x).copy()
    if n > 0:
        dense = unbanded(array(A), uplo, n, k, lda, unit=diag)
        band = np.zeros((k + 1, n))
        for away in range(min(k, n - 1) + 1):
            columns = slice(away, n) if uplo else slice(0, n - away)
            band[k - away if uplo else away, columns] = np.diagonal(dense, away if uplo else -away)
        vector = walk(out, n, incx)
        vector[:] = scipy.linalg.blas.dtbmv(k, band, vector.copy(), lower=not uplo, trans=trans, diag=diag)
    return {"x": tensor(out)}
