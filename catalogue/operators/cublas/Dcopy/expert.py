# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasDcopy: element k of a vector lies at k times its increment."""
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y, x, n, incx, incy, BLOCK: tl.constexpr):
    k = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + k * incy, tl.load(x + k * incx, mask=k < n), mask=k < n)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def dcopy(n, x, incx, y, incy):
    if n <= 0:
        return
    x, y = from_first(x, n, incx), from_first(y, n, incy)
    copy_kernel[(triton.cdiv(n, 1024),)](y, x, n, incx, incy, BLOCK=1024)
