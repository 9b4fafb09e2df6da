# SPDX-License-Identifier: Apache-2.0
"""op(A) x = b by substitution; only the named triangle of A counts, x overwrites b."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def triangle(A, n, lda, uplo, trans, diag):
    """op(A) with zeros in place of the triangle that is not named and ones on a unit diagonal."""
    a = A.as_strided((n, n), (1, lda))
    keep = torch.tril(torch.ones(n, n, dtype=torch.bool), 0 if not diag else -1)
    t = torch.where(keep if uplo == 0 else keep.t(), a, 0.0)
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


def strsv(uplo, trans, diag, n, A, lda, x, incx):
    value, magnitude = x.clone(), abs(x)
    if n <= 0:
        return {"x": value}
    at = places(n, incx)
    t = triangle(A, n, lda, uplo, trans, diag)
    lower = (uplo == 0) != (trans != 0)
    solution = substitute(t, x[at], lower)
    # Substitution is backward stable row by row: |error| <= n u |T^-1| |T| |x|, and M(T)^-1 bounds |T^-1|.
    comparison = 2 * torch.diag(abs(torch.diagonal(t))) - abs(t)
    value[at] = solution
    magnitude[at] = substitute(comparison, abs(t) @ abs(solution), lower)
    return {"x": Expected(value, magnitude=magnitude)}
