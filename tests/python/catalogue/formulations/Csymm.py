# SPDX-License-Identifier: Apache-2.0
"""Csymm as an einsum with the full symmetric matrix."""
import numpy as np
from formulations.blas_memory import columns, mirrored
from independent import array, tensor


def answer(entry, side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc):
    out = array(C).copy()
    c = columns(out, m, n, ldc)
    if c.size:
        c[:] = 0 if beta == 0 else beta * c
    if c.size and alpha != 0:
        order = n if side else m
        full, b = mirrored(columns(array(A), order, order, lda), uplo), columns(array(B), m, n, ldb)
        c += alpha * (np.einsum("ij,jk->ik", b, full) if side else np.einsum("ij,jk->ik", full, b))
    return {"C": tensor(out)}
