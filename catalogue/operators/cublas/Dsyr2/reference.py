# SPDX-License-Identifier: Apache-2.0
"""The named triangle of A += alpha (x y^T + y x^T); the other triangle and the gaps between columns stay."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def dsyr2(uplo, n, alpha, x, incx, y, incy, A, lda):
    value, magnitude = A.clone(), abs(A)
    if n <= 0:
        return {"A": value}
    product = torch.outer(x[places(n, incx)], y[places(n, incy)])
    named = torch.ones(n, n, dtype=torch.bool)
    named = named.triu() if uplo else named.tril()
    a, size = (flat.as_strided((n, n), (1, lda)) for flat in (value, magnitude))
    a.copy_(torch.where(named, a + alpha * (product + product.t()), a))
    size.copy_(torch.where(named, size + abs(alpha) * (abs(product) + abs(product.t())), size))
    return {"A": Expected(value, magnitude=magnitude)}
