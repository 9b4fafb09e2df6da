# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSdgmm: one program per tile of C; each row (left) or column (right) has its factor."""
import triton
import triton.language as tl


@triton.jit
def dgmm_kernel(c, a, x, m, n, incx, lda, ldc, LEFT: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (row < m)[:, None] & (column < n)[None, :]
    if LEFT:
        factor = tl.load(x + row * incx, mask=row < m, other=0.0)[:, None]
    else:
        factor = tl.load(x + column * incx, mask=column < n, other=0.0)[None, :]
    tile = tl.load(a + row[:, None] + column[None, :] * lda, mask=inside, other=0.0)
    tl.store(c + row[:, None] + column[None, :] * ldc, tile * factor, mask=inside)  # column-major


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def sdgmm(mode, m, n, A, lda, x, incx, C, ldc):
    if m <= 0 or n <= 0:
        return
    x = from_first(x, m if mode == 0 else n, incx)
    dgmm_kernel[(triton.cdiv(m, 128), triton.cdiv(n, 16))](C, A, x, m, n, incx, lda, ldc, LEFT=mode == 0, BM=128, BN=16)
