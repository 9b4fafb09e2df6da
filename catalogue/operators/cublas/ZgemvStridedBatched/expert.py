# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasZgemvStridedBatched: matrices at fixed distances, some rows of op(A) a program."""
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
def gemv_kernel(y, a, x, alpha_re: "fp64", alpha_im: "fp64", beta_re: "fp64", beta_im: "fp64", rows, inner,
                a_row, a_inner, incx, incy, a_next, x_next, y_next, x_first, y_first, CONJUGATE: tl.constexpr,
                HAS_BETA: tl.constexpr, ROWS: tl.constexpr, INNER: tl.constexpr):
    """y = alpha * op(a) x + beta * y for some elements of y; op(a) is a with its strides exchanged or not."""
    batch = tl.program_id(1).to(tl.int64)
    a += 2 * batch * a_next
    x += 2 * (batch * x_next + x_first)
    y += 2 * (batch * y_next + y_first)
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    re = tl.zeros([ROWS, INNER], tl.float64)
    im = tl.zeros([ROWS, INNER], tl.float64)
    for start in range(0, inner, INNER):
        k = start + tl.arange(0, INNER).to(tl.int64)
        inside = (row < rows)[:, None] & (k < inner)[None, :]
        a_re, a_im = load_pair(a, row[:, None] * a_row + k[None, :] * a_inner, inside, CONJUGATE)
        x_re, x_im = load_pair(x, k * incx, k < inner, False)
        re += a_re * x_re[None, :] - a_im * x_im[None, :]
        im += a_re * x_im[None, :] + a_im * x_re[None, :]
    sum_re = tl.sum(re, 1)
    sum_im = tl.sum(im, 1)
    out_re = alpha_re * sum_re - alpha_im * sum_im
    out_im = alpha_re * sum_im + alpha_im * sum_re
    if HAS_BETA:  # beta = 0: y is not read, since it may hold NaN
        y_re, y_im = load_pair(y, row * incy, row < rows, False)
        out_re += beta_re * y_re - beta_im * y_im
        out_im += beta_re * y_im + beta_im * y_re
    tl.store(y + 2 * row * incy, out_re, mask=row < rows)
    tl.store(y + 2 * row * incy + 1, out_im, mask=row < rows)


def first_of(n, inc):
    """Where a vector's first element lies: with a negative increment it is the last one in memory."""
    return 0 if inc >= 0 else (n - 1) * -inc


def zgemv_strided_batched(trans, m, n, alpha, A, lda, stride_a, x, incx, stride_x, beta, y, incy, stride_y,
                          batch):
    if m <= 0 or n <= 0 or batch <= 0:
        return
    alpha, beta = complex(alpha), complex(beta)
    # Lanes follow the direction in which the matrix is contiguous.
    rows, inner, strides, tile = (m, n, (1, lda), (64, 16)) if trans == "N" else (n, m, (lda, 1), (16, 64))
    firsts = first_of(inner, incx), first_of(rows, incy)
    if alpha == 0:
        inner = 0  # A and x are not read
    a, x, y = torch.view_as_real(A), torch.view_as_real(x), torch.view_as_real(y)  # the same memory as reals
    gemv_kernel[(triton.cdiv(rows, tile[0]), batch)](
        y, a, x, alpha.real, alpha.imag, beta.real, beta.imag, rows, inner, *strides, incx, incy, stride_a,
        stride_x, stride_y, *firsts, CONJUGATE=trans == "C", HAS_BETA=beta != 0, ROWS=tile[0], INNER=tile[1])
