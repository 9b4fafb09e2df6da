# SPDX-License-Identifier: Apache-2.0
"""op(A) X = alpha B or X op(A) = alpha B by substitution; only the named triangle of A counts, X overwrites B."""
import torch

from kgbench.oracle import Expected


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld))


def substitute(t, b):
    """The solution of t x = b for a lower triangle t, row by row."""
    x = torch.zeros_like(b)
    for i in range(t.shape[0]):
        x[i] = (b[i] - t[i, :i] @ x[:i]) / t[i, i]
    return x


def strsm(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb):
    value, magnitude = B.clone(), abs(B)
    if m <= 0 or n <= 0:
        return {"B": value}
    if alpha == 0:
        matrix(value, m, n, ldb).zero_()
        return {"B": Expected(value)}
    order = m if side == 0 else n
    a = matrix(A, order, order, lda)
    keep = torch.tril(torch.ones(order, order, dtype=torch.bool), -1)
    t = torch.where(keep if uplo == 0 else keep.t(), a, 0.0)
    t = t + (torch.eye(order, dtype=torch.float64) if diag else torch.diag(torch.diagonal(a)))
    b = alpha * matrix(B, m, n, ldb)
    t = t.t() if trans else t
    if side == 1:  # transposed: op(A)^T X^T = alpha B^T
        t, b = t.t(), b.t()
    if bool((torch.triu(t, 1) != 0).any()):  # upper: reversed in both directions it is lower
        t, flip = t.flip(0, 1), True
        b = b.flip(0)
    else:
        flip = False
    x = substitute(t, b)
    inverse = substitute(t, torch.eye(order, dtype=torch.float64))
    # Substitution is backward stable row by row: |error| <= n u |T^-1| |T| |x|, and alpha is rounded once.
    size = abs(inverse) @ (abs(t) @ abs(x))
    if flip:
        x, size = x.flip(0), size.flip(0)
    if side == 1:
        x, size = x.t(), size.t()
    matrix(value, m, n, ldb).copy_(x)
    matrix(magnitude, m, n, ldb).copy_(size)
    return {"B": Expected(value, magnitude=magnitude)}
