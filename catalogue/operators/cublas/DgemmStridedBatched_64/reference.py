# SPDX-License-Identifier: Apache-2.0
"""C[i] = alpha op(A[i]) op(B[i]) + beta C[i] on flat column-major memory, for each matrix of the batch."""
from kgbench.oracle import Expected


def matrix(flat, rows, columns, ld):
    """The column-major matrix at the beginning of flat memory: element (i, j) at i + j * ld."""
    first = flat.storage_offset()
    return flat.as_strided((rows, columns), (1, ld), first) if rows * columns else flat.new_zeros((rows, columns))


def op(flat, trans, rows, columns, ld):
    """op(X), rows x columns; the stored matrix is columns x rows when transposed."""
    return matrix(flat, rows, columns, ld) if trans == "N" else matrix(flat, columns, rows, ld).t()


def product_of(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    """One matrix C and the magnitude of its errors, both m x n."""
    if beta == 0:  # what C holds does not count, not even NaN
        product, size = C.new_zeros((m, n)), C.new_zeros((m, n))
    else:
        product, size = beta * matrix(C, m, n, ldc), abs(beta) * abs(matrix(C, m, n, ldc))
    if alpha != 0:  # and with alpha = 0 what A and B hold does not either
        a, b = op(A, transa, m, k, lda), op(B, transb, k, n, ldb)
        product, size = product + alpha * (a @ b), size + abs(alpha) * (abs(a) @ abs(b))
    return product, size


def dgemm_strided_batched_64(transa, transb, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta, C, ldc,
                             stride_c, batch):
    value, magnitude = C.clone(), abs(C)
    if m <= 0 or n <= 0:
        return {"C": value}
    for i in range(batch):
        a, b, c = A[i * stride_a :], B[i * stride_b :], C[i * stride_c :]
        product, size = product_of(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
        matrix(value[i * stride_c :], m, n, ldc).copy_(product)
        matrix(magnitude[i * stride_c :], m, n, ldc).copy_(size)
    return {"C": Expected(value, magnitude=magnitude)}
