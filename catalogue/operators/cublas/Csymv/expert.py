# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasCsymv: elements of A beside the named triangle are read from their mirror image."""
import torch
import triton
import triton.language as tl


@triton.jit
def load_pair(x, at, inside):
    """Real and imaginary parts of complex elements, which lie side by side."""
    return tl.load(x + 2 * at, mask=inside, other=0.0), tl.load(x + 2 * at + 1, mask=inside, other=0.0)


@triton.jit
def symv_kernel(y, a, x, alpha_re: "fp64", alpha_im: "fp64", beta_re: "fp64", beta_im: "fp64", n, inner, lda, incx,
                incy, UPPER: tl.constexpr, HAS_BETA: tl.constexpr, ROWS: tl.constexpr, INNER: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    re = tl.zeros([ROWS, INNER], tl.float32)
    im = tl.zeros([ROWS, INNER], tl.float32)
    for start in range(0, inner, INNER):
        k = start + tl.arange(0, INNER).to(tl.int64)
        low = tl.minimum(row[:, None], k[None, :])
        high = tl.maximum(row[:, None], k[None, :])
        at = low + high * lda if UPPER else high + low * lda
        a_re, a_im = load_pair(a, at, high < n)
        x_re, x_im = load_pair(x, k * incx, k < n)
        re += a_re * x_re[None, :] - a_im * x_im[None, :]
        im += a_re * x_im[None, :] + a_im * x_re[None, :]
    sum_re = tl.sum(re, 1)
    sum_im = tl.sum(im, 1)
    f_re = tl.full([ROWS], alpha_re, tl.float32)
    f_im = tl.full([ROWS], alpha_im, tl.float32)
    out_re = f_re * sum_re - f_im * sum_im
    out_im = f_re * sum_im + f_im * sum_re
    if HAS_BETA:  # beta = 0: y is not read, since it may hold NaN
        y_re, y_im = load_pair(y, row * incy, row < n)
        f_re = tl.full([ROWS], beta_re, tl.float32)
        f_im = tl.full([ROWS], beta_im, tl.float32)
        out_re += f_re * y_re - f_im * y_im
        out_im += f_re * y_im + f_im * y_re
    tl.store(y + 2 * row * incy, out_re, mask=row < n)
    tl.store(y + 2 * row * incy + 1, out_im, mask=row < n)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def csymv(uplo, n, alpha, A, lda, x, incx, beta, y, incy):
    if n <= 0:
        return
    alpha, beta = complex(alpha), complex(beta)
    inner = 0 if alpha == 0 else n  # alpha = 0: A and x are not read
    x, y = torch.view_as_real(from_first(x, n, incx)), torch.view_as_real(from_first(y, n, incy))
    symv_kernel[(triton.cdiv(n, 32),)](
        y, torch.view_as_real(A), x, alpha.real, alpha.imag, beta.real, beta.imag, n, inner, lda, incx, incy,
        UPPER=uplo == 1, HAS_BETA=beta != 0, ROWS=32, INNER=32)
