# SPDX-License-Identifier: Apache-2.0
"""DgemmStridedBatched through SciPy's dgemm on views of the flat memory."""
import scipy.linalg.blas
from formulations.blas_memory import columns, operand
from independent import array, tensor


def answer(entry, transa, transb, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta, C, ldc, stride_c, batch):
    a, b, out = array(A), array(B), array(C).copy()
    for i in range(batch if m > 0 and n > 0 else 0):
        c = columns(out, m, n, ldc, i * stride_c)
        c[:] = 0 if beta == 0 else beta * c
        if alpha != 0 and k > 0:
            left = operand(a, transa, m, k, lda, i * stride_a)
            right = operand(b, transb, k, n, ldb, i * stride_b)
            c += scipy.linalg.blas.dgemm(alpha, left, right)
    return {"C": tensor(out)}
