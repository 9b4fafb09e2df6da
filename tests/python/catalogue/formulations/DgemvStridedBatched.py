# SPDX-License-Identifier: Apache-2.0
"""DgemvStridedBatched column by column: a sum of columns of op(A), each times its element of x."""
import numpy as np
from formulations.blas_memory import operand, walk
from independent import array, tensor


def product(trans, m, n, alpha, A, lda, first, vector, beta, old):
    """By columns of the dense op(A): each element of x times its column."""
    result = np.zeros_like(old) if beta == 0 else beta * old
    if alpha != 0:
        dense = operand(A, trans, len(old), len(vector), lda, first)
        for factor, column in zip(vector, dense.T):
            result = result + alpha * (factor * column)
    return result


def answer(entry, trans, m, n, alpha, A, lda, stride_a, x, incx, stride_x, beta, y, incy, stride_y, batch):
    out = array(y).copy()
    rows, inner = (m, n) if trans == "N" else (n, m)
    for i in range(batch if m > 0 and n > 0 else 0):
        target, vector = walk(out, rows, incy, i * stride_y), walk(array(x), inner, incx, i * stride_x)
        target[:] = product(trans, m, n, alpha, array(A), lda, i * stride_a, vector, beta, target.copy())
    return {"y": tensor(out)}
