# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasZgerc: complex numbers are pairs; one program per tile of A."""
import torch
import triton
import triton.language as tl


@triton.jit
def load_pair(x, at, inside, CONJUGATE: tl.constexpr):
    """Real and imaginary parts of complex elements, which lie side by side."""
    re = tl.load(x + 2 * at, mask=inside, other=0.0)
    im = tl.load(x + 2 * at + 1, mask=inside, other=0.0)
    return re, -im if CONJUGATE else im


@triton.jit
def ger_kernel(a, x, y, alpha_re: "fp64", alpha_im: "fp64", m, n, incx, incy, lda, CONJUGATE: tl.constexpr,
               BM: tl.constexpr, BN: tl.constexpr):
    """a += alpha * x y^T for one tile of a, with y conjugated or not."""
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    x_re, x_im = load_pair(x, row * incx, row < m, False)
    y_re, y_im = load_pair(y, column * incy, column < n, CONJUGATE)
    s_re = alpha_re * y_re - alpha_im * y_im
    s_im = alpha_re * y_im + alpha_im * y_re
    inside = (row < m)[:, None] & (column < n)[None, :]
    at_a = row[:, None] + column[None, :] * lda  # column-major
    re, im = load_pair(a, at_a, inside, False)
    re += x_re[:, None] * s_re[None, :] - x_im[:, None] * s_im[None, :]
    im += x_re[:, None] * s_im[None, :] + x_im[:, None] * s_re[None, :]
    tl.store(a + 2 * at_a, re, mask=inside)
    tl.store(a + 2 * at_a + 1, im, mask=inside)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def zgerc(m, n, alpha, x, incx, y, incy, A, lda):
    alpha = complex(alpha)
    if m <= 0 or n <= 0 or alpha == 0:
        return
    x, y = torch.view_as_real(from_first(x, m, incx)), torch.view_as_real(from_first(y, n, incy))
    ger_kernel[(triton.cdiv(m, 32), triton.cdiv(n, 8))](
        torch.view_as_real(A), x, y, alpha.real, alpha.imag, m, n, incx, incy, lda, CONJUGATE=True, BM=32, BN=8)
