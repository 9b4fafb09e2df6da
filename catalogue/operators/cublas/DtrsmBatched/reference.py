# SPDX-License-Identifier: Apache-2.0
"""op(A[i]) X = alpha B[i] or X op(A[i]) = alpha B[i] by substitution; X overwrites B[i], one triangle of A[i] counts."""
import torch

from kgbench.oracle import Expected


def matrix(flat, rows, columns, ld):
    """The column-major matrix in flat memory: element (i, j) at i + j * ld."""
    return flat.as_strided((rows, columns), (1, ld))


def triangle(A, n, lda, uplo, trans, diag):
    """op(A) with zeros in place of the triangle that is not named and ones on a unit diagonal."""
    keep = torch.tril(torch.ones(n, n, dtype=torch.bool), 0 if not diag else -1)
    t = torch.where(keep if uplo == 0 else keep.t(), matrix(A, n, n, lda), 0.0)
    if diag:
        t = t + torch.eye(n, dtype=torch.float64)
    return t.t() if trans else t


def substitute(t, b, lower):
    """The solution of t x = b, row by row from the end that is known."""
    x = torch.zeros_like(b)
    n = len(b)
    for i in range(n) if lower else range(n - 1, -1, -1):
        known = slice(0, i) if lower else slice(i + 1, n)
        x[i] = (b[i] - t[i, known] @ x[known]) / t[i, i]
    return x


def solved(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb):
    value, magnitude = B.clone(), abs(B)
    if m <= 0 or n <= 0:
        return value
    if alpha == 0:
        matrix(value, m, n, ldb).zero_()
        return value
    t, b = triangle(A, m if side == 0 else n, lda, uplo, trans, diag), alpha * matrix(B, m, n, ldb)
    lower = (uplo == 0) != (trans != 0)
    if side == 1:  # transposed: op(A)^T X^T = alpha B^T
        t, b, lower = t.t(), b.t(), not lower
    x = substitute(t, b, lower)
    # Substitution is backward stable row by row: |error| <= n u |T^-1| |T| |x|, and M(T)^-1 bounds |T^-1|.
    comparison = 2 * torch.diag(abs(torch.diagonal(t))) - abs(t)
    size = substitute(comparison, abs(t) @ abs(x), lower)
    matrix(value, m, n, ldb).copy_(x if side == 0 else x.t())
    matrix(magnitude, m, n, ldb).copy_(size if side == 0 else size.t())
    return Expected(value, magnitude=magnitude)


def dtrsm_batched(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, batch):
    results = {}
    for i in range(batch):
        results[f"B[{i}]"] = solved(side, uplo, trans, diag, m, n, alpha, A[i], lda, B[i], ldb)
    return results
