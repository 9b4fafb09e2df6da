# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasCcopy: complex numbers are pairs of f32, moved part by part."""
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(y, x, n, incx, incy, BLOCK: tl.constexpr):
    k = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    part = tl.arange(0, 2)  # real and imaginary
    inside = (k < n)[:, None] & (part < 2)[None, :]
    pair = tl.load(x + 2 * k[:, None] * incx + part[None, :], mask=inside)
    tl.store(y + 2 * k[:, None] * incy + part[None, :], pair, mask=inside)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def ccopy(n, x, incx, y, incy):
    if n <= 0:
        return
    x, y = torch.view_as_real(from_first(x, n, incx)), torch.view_as_real(from_first(y, n, incy))
    copy_kernel[(triton.cdiv(n, 512),)](y, x, n, incx, incy, BLOCK=512)
