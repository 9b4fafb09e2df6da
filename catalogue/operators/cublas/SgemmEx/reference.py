# SPDX-License-Identifier: Apache-2.0
"""C = alpha op(A) op(B) + beta C on flat column-major memory, from the operands' own types; the gaps stay."""
import torch

from kgbench.oracle import Expected

# A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld)) if rows * columns else flat.new_zeros((rows, columns))


def op(flat, trans, rows, columns, ld):
    """op(X), rows x columns; the stored matrix is columns x rows when transposed."""
    flat = flat.to(torch.float64)  # 8-bit integers arrive as they are
    return matrix(flat, rows, columns, ld) if trans == "N" else matrix(flat, columns, rows, ld).t()


def sgemm_ex(transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc):
    value, magnitude = C.clone(), abs(C)
    if m <= 0 or n <= 0:
        return {"C": value}
    if beta == 0:  # what C holds does not count, not even NaN
        product, size = C.new_zeros((m, n)), C.new_zeros((m, n))
    else:
        product, size = beta * matrix(C, m, n, ldc), abs(beta) * abs(matrix(C, m, n, ldc))
    if alpha != 0:  # and with alpha = 0 what A and B hold does not either
        a, b = op(A, transa, m, k, lda), op(B, transb, k, n, ldb)
        product, size = product + alpha * (a @ b), size + abs(alpha) * (abs(a) @ abs(b)) + k * UNDERFLOW
    matrix(value, m, n, ldc).copy_(product)
    matrix(magnitude, m, n, ldc).copy_(size)
    return {"C": Expected(value, magnitude=magnitude)}
