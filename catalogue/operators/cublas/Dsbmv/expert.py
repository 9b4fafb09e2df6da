# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasDsbmv: one lane per element of y walks the diagonals of the band."""
import triton
import triton.language as tl


@triton.jit
def band_kernel(y, a, x, alpha: "fp64", beta: "fp64", n, k, lda, incx, incy, UPPER: tl.constexpr,
                HAS_ALPHA: tl.constexpr, HAS_BETA: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float64)
    if HAS_ALPHA:  # alpha = 0: neither A nor x is read
        for diagonal in range(-k, k + 1):
            j = i + diagonal
            inside = (i < n) & (j >= 0) & (j < n)  # cells of the band beside the matrix may hold anything
            # The half that is not stored is the stored one with row and column exchanged.
            column = tl.maximum(i, j) if UPPER else tl.minimum(i, j)
            away = tl.abs(diagonal)
            at = (k - away if UPPER else away) + column * lda
            acc += tl.load(a + at, mask=inside, other=0.0) * tl.load(x + j * incx, mask=inside, other=0.0)
    result = alpha * acc
    if HAS_BETA:  # beta = 0: y is not read, since it may hold NaN
        result += beta * tl.load(y + i * incy, mask=i < n, other=0.0)
    tl.store(y + i * incy, result, mask=i < n)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def dsbmv(uplo, n, k, alpha, A, lda, x, incx, beta, y, incy):
    if n <= 0:
        return
    x, y = from_first(x, n, incx), from_first(y, n, incy)
    band_kernel[(triton.cdiv(n, 128),)](y, A, x, alpha, beta, n, k, lda, incx, incy, UPPER=uplo == 1,
                                        HAS_ALPHA=alpha != 0, HAS_BETA=beta != 0, BLOCK=128)
