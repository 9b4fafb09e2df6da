# SPDX-License-Identifier: Apache-2.0
"""CsyrkEx through SciPy's zsyrk, of whose result the named triangle is taken."""
import numpy as np
import scipy.linalg.blas
from formulations.blas_memory import columns, operand
from independent import array, tensor


def answer(entry, uplo, trans, n, k, alpha, A, Atype, lda, beta, C, Ctype, ldc):
    flat = array(A)
    out = array(C).copy()
    c, product = columns(out, n, n, ldc), np.zeros((n, n))
    if alpha != 0 and k > 0 and n > 0:
        product = scipy.linalg.blas.zsyrk(alpha, operand(flat, trans, n, k, lda), lower=not uplo)
    for j in range(n):
        for i in range(j + 1) if uplo else range(j, n):
            c[i, j] = product[i, j] + (0 if beta == 0 else beta * c[i, j])
    return {"C": tensor(out)}
