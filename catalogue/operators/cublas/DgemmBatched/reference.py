# SPDX-License-Identifier: Apache-2.0
"""C[i] = alpha op(A[i]) op(B[i]) + beta C[i] on flat column-major memory, for each matrix of the batch."""
from kgbench.oracle import Expected


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld)) if rows * columns else flat.new_zeros((rows, columns))


def op(flat, trans, rows, columns, ld):
    """op(X), rows x columns; the stored matrix is columns x rows when transposed."""
    return matrix(flat, rows, columns, ld) if trans == "N" else matrix(flat, columns, rows, ld).t()


def gemm(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    value, magnitude = C.clone(), abs(C)
    if m <= 0 or n <= 0:
        return value
    if beta == 0:  # what C holds does not count, not even NaN
        product, size = C.new_zeros((m, n)), C.new_zeros((m, n))
    else:
        product, size = beta * matrix(C, m, n, ldc), abs(beta) * abs(matrix(C, m, n, ldc))
    if alpha != 0:  # and with alpha = 0 what A and B hold does not either
        a, b = op(A, transa, m, k, lda), op(B, transb, k, n, ldb)
        product, size = product + alpha * (a @ b), size + abs(alpha) * (abs(a) @ abs(b))
    matrix(value, m, n, ldc).copy_(product)
    matrix(magnitude, m, n, ldc).copy_(size)
    return Expected(value, magnitude=magnitude)


def dgemm_batched(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch):
    results = {}
    for i in range(batch):
        results[f"C[{i}]"] = gemm(transa, transb, m, n, k, alpha, A[i], lda, B[i], ldb, beta, C[i], ldc)
    return results
