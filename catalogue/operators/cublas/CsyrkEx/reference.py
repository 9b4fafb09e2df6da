# SPDX-License-Identifier: Apache-2.0
"""The named triangle of C = alpha op(A) op(A)^T + beta C, without conjugation; the other triangle and the gaps stay."""
import torch

from kgbench.oracle import Expected

# A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld)) if rows * columns else flat.new_zeros((rows, columns))


def csyrk_ex(uplo, trans, n, k, alpha, A, Atype, lda, beta, C, Ctype, ldc):
    value, magnitude = C.clone(), abs(C)
    if n <= 0:
        return {"C": value}
    old = matrix(C, n, n, ldc)
    # With beta = 0 what C holds does not count, and with alpha = 0 what A holds does not: not even NaN.
    product = torch.zeros_like(old) if beta == 0 else beta * old
    size = abs(product)
    if alpha != 0:
        a = matrix(A, n, k, lda) if trans == 0 else matrix(A, k, n, lda).t()
        product, size = product + alpha * (a @ a.t()), size + abs(alpha) * (abs(a) @ abs(a).t()) + k * UNDERFLOW
    named = torch.ones(n, n, dtype=torch.bool)
    named = named.triu() if uplo else named.tril()
    matrix(value, n, n, ldc).copy_(torch.where(named, product, old))
    matrix(magnitude, n, n, ldc).copy_(torch.where(named, size, abs(old)))
    return {"C": Expected(value, magnitude=magnitude)}
