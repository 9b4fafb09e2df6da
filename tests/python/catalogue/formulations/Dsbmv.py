# SPDX-License-Identifier: Apache-2.0
"""Dsbmv as a dense product, with the band unfolded diagonal by diagonal."""
import numpy as np
from formulations.blas_memory import unbanded, walk
from independent import array, tensor


def answer(entry, uplo, n, k, alpha, A, lda, x, incx, beta, y, incy):
    out = array(y).copy()
    if n > 0:
        vector = walk(out, n, incy)
        vector[:] = 0 if beta == 0 else beta * vector
        if alpha != 0:
            half = unbanded(array(A), uplo, n, k, lda)
            dense = half + half.T - np.diag(np.diag(half))
            vector += alpha * np.einsum("ij,j->i", dense, walk(array(x), n, incx))
    return {"y": tensor(out)}
