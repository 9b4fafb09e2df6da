# SPDX-License-Identifier: Apache-2.0
"""C = diag(x) A (mode 0) or A diag(x) (mode 1); the gaps between columns of C stay as they are."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def sdgmm(mode, m, n, A, lda, x, incx, C, ldc):
    value, magnitude = C.clone(), abs(C)
    if m <= 0 or n <= 0:
        return {"C": value}
    factors = x[places(m, incx)][:, None] if mode == 0 else x[places(n, incx)][None, :]
    product = A.as_strided((m, n), (1, lda)) * factors
    value.as_strided((m, n), (1, ldc)).copy_(product)
    # A product below the normal range loses 2^-150: 2^-126 in units of f32's roundoff.
    magnitude.as_strided((m, n), (1, ldc)).copy_(abs(product) + 2.0**-126)
    return {"C": Expected(value, magnitude=magnitude)}
