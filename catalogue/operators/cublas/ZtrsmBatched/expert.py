# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasZtrsmBatched: every case is a lower triangle solved from the top, 16 rows at a time."""
import triton
import triton.language as tl


@triton.jit
def load_pair(x, at, inside, CONJUGATE: tl.constexpr):
    """Real and imaginary parts of complex elements, which lie side by side."""
    re = tl.load(x + 2 * at, mask=inside, other=0.0)
    im = tl.load(x + 2 * at + 1, mask=inside, other=0.0)
    return re, -im if CONJUGATE else im


@triton.jit
def load_scaled(x, at, inside, scale_re, scale_im):
    re, im = load_pair(x, at, inside, False)
    return re * scale_re - im * scale_im, re * scale_im + im * scale_re


@triton.jit
def solve_kernel(x_array, t_array, scale_re: "fp64", scale_im: "fp64", rows, columns, t_first, t_row, t_col,
                 x_first, x_row, x_col, CONJ: tl.constexpr, UNIT: tl.constexpr, ROWS: tl.constexpr,
                 COLS: tl.constexpr):
    """T X = scale * B for some columns, from the first row to the last."""
    # The arrays hold addresses: one system of the batch for each program_id(1).
    x = tl.load(x_array + tl.program_id(1)).to(tl.pointer_type(tl.float64)) + 2 * x_first
    t = tl.load(t_array + tl.program_id(1)).to(tl.pointer_type(tl.float64)) + 2 * t_first
    lane = tl.arange(0, ROWS)
    column = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    for start in range(0, rows, ROWS):
        row = (start + lane).to(tl.int64)
        inside = (row < rows)[:, None] & (column < columns)[None, :]
        at_x = row[:, None] * x_row + column[None, :] * x_col
        re, im = load_scaled(x, at_x, inside, scale_re, scale_im)
        for k in range(0, start, ROWS):  # what this program has solved already
            inner = (k + lane).to(tl.int64)
            f_re, f_im = load_pair(t, row[:, None] * t_row + inner[None, :] * t_col, (row < rows)[:, None], CONJ)
            s_re, s_im = load_pair(x, inner[:, None] * x_row + column[None, :] * x_col, (column < columns)[None, :],
                                   False)
            re -= tl.sum(f_re[:, :, None] * s_re[None, :, :] - f_im[:, :, None] * s_im[None, :, :], 1)
            im -= tl.sum(f_re[:, :, None] * s_im[None, :, :] + f_im[:, :, None] * s_re[None, :, :], 1)
        if not UNIT:  # the diagonal of a unit triangle is not read
            d_re, d_im = load_pair(t, row * (t_row + t_col), row < rows, CONJ)
            size = tl.where(row < rows, d_re * d_re + d_im * d_im, 1.0)
            d_re, d_im = d_re / size, -d_im / size  # its inverse
        for i in tl.static_range(ROWS):  # unrolled: all loads are under way before the first row is solved
            which = tl.full([ROWS, COLS], i, tl.int32)
            s_re, s_im = tl.gather(re, which, 0), tl.gather(im, which, 0)
            if not UNIT:
                i_re = tl.gather(d_re, tl.full([ROWS], i, tl.int32), 0)[:, None]
                i_im = tl.gather(d_im, tl.full([ROWS], i, tl.int32), 0)[:, None]
                s_re, s_im = s_re * i_re - s_im * i_im, s_re * i_im + s_im * i_re
            # Only the named triangle is read: below the diagonal, inside the matrix.
            below = lane > i
            f_re, f_im = load_pair(t, row * t_row + (start + i).to(tl.int64) * t_col, below & (row < rows), CONJ)
            f_re, f_im, here = f_re[:, None], f_im[:, None], (lane == i)[:, None]
            re = tl.where(below[:, None], re - f_re * s_re + f_im * s_im, tl.where(here, s_re, re))
            im = tl.where(below[:, None], im - f_re * s_im - f_im * s_re, tl.where(here, s_im, im))
        tl.store(x + 2 * at_x, re, mask=inside)
        tl.store(x + 2 * at_x + 1, im, mask=inside)
        tl.debug_barrier()  # the next rows read what other threads have stored


@triton.jit
def zero_kernel(x_array, rows, columns, x_row, x_col, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.load(x_array + tl.program_id(2)).to(tl.pointer_type(tl.float64))
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    at_x = row[:, None] * x_row + column[None, :] * x_col
    tl.store(x + 2 * at_x, tl.zeros([BM, BN], tl.float64), mask=inside)
    tl.store(x + 2 * at_x + 1, tl.zeros([BM, BN], tl.float64), mask=inside)


def ztrsm_batched(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, batch):
    if m <= 0 or n <= 0 or batch <= 0:
        return
    # X op(A) = alpha B is op(A)^T X^T = alpha B^T: the right side is the left one with everything transposed,
    # but conjugated no more than before.
    left = side == 0
    rows, columns = (m, n) if left else (n, m)
    x_row, x_col = (1, ldb) if left else (ldb, 1)
    transposed = (trans != 0) == left
    t_row, t_col = (lda, 1) if transposed else (1, lda)
    lower = (uplo == 0) != transposed
    grid = (triton.cdiv(rows, 16), triton.cdiv(columns, 32), batch)
    if alpha == 0:  # A is not read, and B neither
        zero_kernel[grid](B, rows, columns, x_row, x_col, BM=16, BN=32)
        return
    t_first, x_first = 0, 0
    if not lower:  # an upper triangle read backwards, in rows and columns, is a lower one
        t_first, x_first = (rows - 1) * (t_row + t_col), (rows - 1) * x_row
        t_row, t_col, x_row = -t_row, -t_col, -x_row
    scale = complex(alpha)
    solve_kernel[(triton.cdiv(columns, 4), batch)](
        B, A, scale.real, scale.imag, rows, columns, t_first, t_row, t_col, x_first, x_row, x_col,
        CONJ=trans == 2, UNIT=diag != 0, ROWS=16, COLS=4, num_warps=1)
