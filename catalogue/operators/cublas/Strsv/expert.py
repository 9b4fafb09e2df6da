# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasStrsv: every case is a lower triangle solved from the top, a block of 64 rows at a time."""
import triton
import triton.language as tl


@triton.jit
def solve_kernel(x, t, first, n, t_row, t_col, incx, UNIT: tl.constexpr, ROWS: tl.constexpr):
    """Elements first .. first + ROWS - 1 of x, from which all earlier ones are subtracted already."""
    row = tl.arange(0, ROWS)
    inside = first + row < n
    at_x = x + (first + row).to(tl.int64) * incx
    at_t = t + first.to(tl.int64) * (t_row + t_col)
    tile = tl.load(at_x, mask=inside, other=0.0)
    for i in range(min(n - first, ROWS)):
        solved = tl.sum(tl.where(row == i, tile, 0.0), 0)
        if not UNIT:  # the diagonal of a unit triangle is not read
            solved = tl.div_rn(solved, tl.load(at_t + i.to(tl.int64) * (t_row + t_col)))
        # Only the named triangle is read: below the diagonal, inside the matrix.
        factor = tl.load(at_t + row.to(tl.int64) * t_row + i.to(tl.int64) * t_col, mask=inside & (row > i), other=0.0)
        tile = tl.where(row == i, solved, tile - factor * solved)
    tl.store(at_x, tile, mask=inside)


@triton.jit
def update_kernel(x, t, first, n, t_row, t_col, incx, ROWS: tl.constexpr, INNER: tl.constexpr):
    """x[r] -= sum of T[r, k] x[k] over the solved block of k, for the rows r behind it."""
    row = first + INNER + tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    inner = first + tl.arange(0, INNER).to(tl.int64)
    tile = tl.load(t + row[:, None] * t_row + inner[None, :] * t_col, mask=(row < n)[:, None], other=0.0)
    solved = tl.load(x + inner * incx)
    at_x = x + row * incx
    tl.store(at_x, tl.load(at_x, mask=row < n, other=0.0) - tl.sum(tile * solved[None, :], 1), mask=row < n)


def strsv(uplo, trans, diag, n, A, lda, x, incx):
    if n <= 0:
        return
    t_row, t_col = (lda, 1) if trans != 0 else (1, lda)
    lower = (uplo == 0) != (trans != 0)
    if not lower:  # an upper triangle read backwards, in rows and columns, is a lower one
        A, t_row, t_col = A[(n - 1) * (t_row + t_col) :], -t_row, -t_col
    if (incx < 0) == lower:  # the first element to solve for is the last one in memory
        x, incx = x[(n - 1) * abs(incx) :], -abs(incx)
    else:
        incx = abs(incx)
    for first in range(0, n, 64):
        solve_kernel[(1,)](x, A, first, n, t_row, t_col, incx, UNIT=diag != 0, ROWS=64)
        left_over = n - first - 64
        if left_over > 0:
            update_kernel[(triton.cdiv(left_over, 64),)](x, A, first, n, t_row, t_col, incx, ROWS=64, INNER=64)
