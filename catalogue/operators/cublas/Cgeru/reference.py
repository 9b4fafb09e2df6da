# SPDX-License-Identifier: Apache-2.0
"""A += alpha x y^T on flat column-major memory; the gaps between columns stay as they are."""
import torch

from kgbench.oracle import Expected


def places(n, inc):
    """Where the elements of a vector lie; with a negative increment the first one is last in memory."""
    k = torch.arange(max(n, 0))
    return k * inc if inc >= 0 else (k - (n - 1)) * inc


def cgeru(m, n, alpha, x, incx, y, incy, A, lda):
    value, magnitude = A.clone(), abs(A)
    if m <= 0 or n <= 0:
        return {"A": value}
    update = alpha * torch.outer(x[places(m, incx)], y[places(n, incy)])
    # A product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
    value.as_strided((m, n), (1, lda)).add_(update)
    magnitude.as_strided((m, n), (1, lda)).add_(abs(update) + 2.0**-126)
    return {"A": Expected(value, magnitude=magnitude)}
