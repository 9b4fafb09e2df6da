# SPDX-License-Identifier: Apache-2.0
"""C = alpha A B + beta C (left) or alpha B A + beta C (right) for a symmetric A; the gaps between columns stay."""
import torch

from kgbench.oracle import Expected

# A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld))


def symmetric(A, n, lda, uplo):
    """The matrix that the named triangle gives; the other triangle does not count, not even NaN."""
    keep = torch.ones(n, n, dtype=torch.bool)
    named = torch.where(keep.triu() if uplo else keep.tril(), matrix(A, n, n, lda), 0.0)
    return named + named.t() - torch.diag(torch.diagonal(named))


def csymm(side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc):
    value, magnitude = C.clone(), abs(C)
    if m <= 0 or n <= 0:
        return {"C": value}
    old = matrix(C, m, n, ldc)
    # With beta = 0 what C holds does not count, and with alpha = 0 what A and B hold does not: not even NaN.
    product = torch.zeros_like(old) if beta == 0 else beta * old
    size = abs(product)
    if alpha != 0:
        a, b = symmetric(A, m if side == 0 else n, lda, uplo), matrix(B, m, n, ldb)
        left, right = (a, b) if side == 0 else (b, a)
        product = product + alpha * (left @ right)
        size = size + abs(alpha) * (abs(left) @ abs(right)) + len(a) * UNDERFLOW
    matrix(value, m, n, ldc).copy_(product)
    matrix(magnitude, m, n, ldc).copy_(size)
    return {"C": Expected(value, magnitude=magnitude)}
