# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasZswap: complex numbers are pairs of f64, moved part by part."""
import torch
import triton
import triton.language as tl


@triton.jit
def swap_kernel(x, y, n, incx, incy, BLOCK: tl.constexpr):
    k = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    part = tl.arange(0, 2)  # real and imaginary
    inside = (k < n)[:, None] & (part < 2)[None, :]
    at_x = x + 2 * k[:, None] * incx + part[None, :]
    at_y = y + 2 * k[:, None] * incy + part[None, :]
    from_x = tl.load(at_x, mask=inside)
    from_y = tl.load(at_y, mask=inside)
    tl.store(at_x, from_y, mask=inside)
    tl.store(at_y, from_x, mask=inside)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def zswap(n, x, incx, y, incy):
    if n <= 0:
        return
    x, y = torch.view_as_real(from_first(x, n, incx)), torch.view_as_real(from_first(y, n, incy))
    swap_kernel[(triton.cdiv(n, 512),)](x, y, n, incx, incy, BLOCK=512)
