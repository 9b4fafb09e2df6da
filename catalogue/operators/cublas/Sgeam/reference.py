# SPDX-License-Identifier: Apache-2.0
"""C = alpha op(A) + beta op(B) on flat column-major memory; the gaps between columns of C stay as they are."""
from kgbench.oracle import Expected


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld))


def sgeam(transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc):
    value, magnitude = C.clone(), abs(C)
    if m <= 0 or n <= 0:
        return {"C": value}
    result, size = C.new_zeros((m, n)), C.new_zeros((m, n))
    for factor, trans, flat, ld in ((alpha, transa, A, lda), (beta, transb, B, ldb)):
        if factor != 0:  # with a factor of 0 what the matrix holds does not count, not even NaN
            term = factor * (matrix(flat, m, n, ld) if trans == 0 else matrix(flat, n, m, ld).t())
            # A product below the normal range loses 2^-150: 2^-126 in units of f32's roundoff.
            result, size = result + term, size + abs(term) + 2.0**-126
    matrix(value, m, n, ldc).copy_(result)
    matrix(magnitude, m, n, ldc).copy_(size)
    return {"C": Expected(value, magnitude=magnitude)}
