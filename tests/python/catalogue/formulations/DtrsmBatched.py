# SPDX-License-Identifier: Apache-2.0
"""DtrsmBatched through SciPy's dtrsm on the named triangle alone."""
import scipy.linalg.blas
from formulations.blas_memory import columns, halves
from independent import array, tensor


def answer(entry, side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, batch):
    found = {}
    for i in range(batch):
        out = array(B[i]).copy()
        b = columns(out, m, n, ldb)
        if b.size and alpha == 0:
            b[:] = 0
        elif b.size:
            order = n if side else m
            named = halves(columns(array(A[i]), order, order, lda), uplo, unit=diag)
            b[:] = scipy.linalg.blas.dtrsm(alpha, named, b, side=side, lower=not uplo, trans_a=trans, diag=diag)
        found[f"B[{i}]"] = tensor(out)
    return found
