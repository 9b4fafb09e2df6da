# SPDX-License-Identifier: Apache-2.0
"""SgemmBatched_64 through SciPy's dgemm on views of the flat memory."""
import scipy.linalg.blas
from formulations.blas_memory import columns, operand
from independent import array, tensor


def answer(entry, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch):
    found = {}
    for i in range(batch):
        out = array(C[i]).copy()
        c = columns(out, m, n, ldc)
        if c.size:
            c[:] = 0 if beta == 0 else beta * c
        if c.size and alpha != 0 and k > 0:
            left, right = operand(array(A[i]), transa, m, k, lda), operand(array(B[i]), transb, k, n, ldb)
            c += scipy.linalg.blas.dgemm(alpha, left, right)
        found[f"C[{i}]"] = tensor(out)
    return found
