# SPDX-License-Identifier: Apache-2.0
"""Strsv through SciPy's dtrsv on the named triangle alone."""
import scipy.linalg.blas
from formulations.blas_memory import columns, halves, walk
from independent import array, tensor


def answer(entry, uplo, trans, diag, n, A, lda, x, incx):
    out = array(x).copy()
    if n > 0:
        named = halves(columns(array(A), n, n, lda), uplo, unit=diag)
        vector = walk(out, n, incx)
        vector[:] = scipy.linalg.blas.dtrsv(named, vector.copy(), lower=not uplo, trans=trans, diag=diag)
    return {"x": tensor(out)}
