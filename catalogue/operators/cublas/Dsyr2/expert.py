# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasDsyr2: one program per tile of A, which stores what lies in the named triangle."""
import triton
import triton.language as tl


@triton.jit
def syr2_kernel(a, x, y, alpha: "fp64", n, incx, incy, lda, UPPER: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    x_row = tl.load(x + row * incx, mask=row < n, other=0.0)
    y_row = tl.load(y + row * incy, mask=row < n, other=0.0)
    x_column = tl.load(x + column * incx, mask=column < n, other=0.0)
    y_column = tl.load(y + column * incy, mask=column < n, other=0.0)
    update = alpha * (x_row[:, None] * y_column[None, :] + y_row[:, None] * x_column[None, :])
    inside = (row < n)[:, None] & (column < n)[None, :]
    if UPPER:
        inside = inside & (row[:, None] <= column[None, :])
    else:
        inside = inside & (row[:, None] >= column[None, :])
    at_a = a + row[:, None] + column[None, :] * lda  # column-major
    tl.store(at_a, tl.load(at_a, mask=inside, other=0.0) + update, mask=inside)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def dsyr2(uplo, n, alpha, x, incx, y, incy, A, lda):
    if n <= 0 or alpha == 0:
        return
    x, y = from_first(x, n, incx), from_first(y, n, incy)
    syr2_kernel[(triton.cdiv(n, 64), triton.cdiv(n, 16))](A, x, y, alpha, n, incx, incy, lda, UPPER=uplo == 1,
                                                          BM=64, BN=16)
