# SPDX-License-Identifier: Apache-2.0
"""Sgeam element by element, with plain indices into the flat memory."""
from independent import array, tensor


def answer(entry, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc):
    a, b, out = array(A), array(B), array(C).copy()
    for j in range(n):
        for i in range(m):
            value = 0.0
            if alpha != 0:
                value += alpha * a[i + j * lda if transa == 0 else j + i * lda]
            if beta != 0:
                value += beta * b[i + j * ldb if transb == 0 else j + i * ldb]
            out[i + j * ldc] = value
    return {"C": tensor(out)}
