# SPDX-License-Identifier: Apache-2.0
"""SgemmEx through SciPy's dgemm on views of the flat memory, widened element by element."""
import scipy.linalg.blas
from formulations.blas_memory import columns, operand
from independent import array, tensor


def answer(entry, transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc):
    out = array(C).copy()
    c = columns(out, m, n, ldc)
    if c.size:
        c[:] = 0 if beta == 0 else beta * c
    if c.size and alpha != 0 and k > 0:
        a, b = array(A).astype(float), array(B).astype(float)
        c += scipy.linalg.blas.dgemm(alpha, operand(a, transa, m, k, lda), operand(b, transb, k, n, ldb))
    return {"C": tensor(out)}
