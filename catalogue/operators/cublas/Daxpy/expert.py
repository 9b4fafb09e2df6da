# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasDaxpy: element k of a vector lies at k times its increment."""
import triton
import triton.language as tl


@triton.jit
def axpy_kernel(y, x, alpha: "fp64", n, incx, incy, BLOCK: tl.constexpr):
    k = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    product = tl.load(x + k * incx, mask=k < n) * tl.full([BLOCK], alpha, tl.float64)
    tl.store(y + k * incy, tl.load(y + k * incy, mask=k < n) + product, mask=k < n)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def daxpy(n, alpha, x, incx, y, incy):
    if n <= 0 or alpha == 0:
        return
    x, y = from_first(x, n, incx), from_first(y, n, incy)
    axpy_kernel[(triton.cdiv(n, 1024),)](y, x, alpha, n, incx, incy, BLOCK=1024)
