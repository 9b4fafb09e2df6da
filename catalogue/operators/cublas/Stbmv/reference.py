# SPDX-License-Identifier: Apache-2.0
"""x = op(A) x for a triangular band matrix; cells of A outside the named band do not count."""
import torch

from kgbench.oracle import Expected

# A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def stbmv(uplo, trans, diag, n, k, A, lda, x, incx):
    value, magnitude = x.clone(), abs(x)
    if n <= 0:
        return {"x": value}
    at = places(n, incx)
    v, product, size = x[at], x.new_zeros(n), x.new_full((n,), (k + 1) * UNDERFLOW)
    for away in range(min(k, n - 1) + 1):  # one diagonal after the other
        j = torch.arange(away, n) if uplo else torch.arange(n - away)
        i = j - away if uplo else j + away
        cells = A[(k - away if uplo else away) + j * lda]
        if diag and away == 0:  # a unit diagonal is not read
            cells = torch.ones_like(cells)
        to, of = (j, i) if trans else (i, j)
        product[to] += cells * v[of]
        size[to] += abs(cells * v[of])
    value[at], magnitude[at] = product, size
    return {"x": Expected(value, magnitude=magnitude)}
