# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSger: one program per tile of A adds the product of a piece of x and a piece of y."""
import triton
import triton.language as tl


@triton.jit
def ger_kernel(a, x, y, alpha: "fp64", m, n, incx, incy, lda, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    scaled = tl.load(y + column * incy, mask=column < n, other=0.0) * tl.full([BN], alpha, tl.float32)
    update = tl.load(x + row * incx, mask=row < m, other=0.0)[:, None] * scaled[None, :]
    inside = (row < m)[:, None] & (column < n)[None, :]
    at_a = a + row[:, None] + column[None, :] * lda  # column-major
    tl.store(at_a, tl.load(at_a, mask=inside, other=0.0) + update, mask=inside)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def sger(m, n, alpha, x, incx, y, incy, A, lda):
    if m <= 0 or n <= 0 or alpha == 0:
        return
    x, y = from_first(x, m, incx), from_first(y, n, incy)
    ger_kernel[(triton.cdiv(m, 64), triton.cdiv(n, 8))](A, x, y, alpha, m, n, incx, incy, lda, BM=64, BN=8)
