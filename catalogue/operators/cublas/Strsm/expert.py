# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasStrsm: every case is a lower triangle solved from the top, a block of 32 rows at a time."""
import triton
import triton.language as tl


@triton.jit
def solve_kernel(x, t, scale: "fp64", first, rows, columns, t_row, t_col, x_row, x_col, UNIT: tl.constexpr,
                 ROWS: tl.constexpr, COLS: tl.constexpr):
    """Rows first .. first + ROWS - 1 of T X = scale * B for some columns; earlier rows are subtracted already."""
    row = tl.arange(0, ROWS)
    column = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    inside = (first + row < rows)[:, None] & (column < columns)[None, :]
    at_x = x + (first + row).to(tl.int64)[:, None] * x_row + column[None, :] * x_col
    tile = tl.load(at_x, mask=inside, other=0.0) * tl.full([ROWS, COLS], scale, tl.float32)
    at_t = t + first.to(tl.int64) * (t_row + t_col)
    for i in range(min(rows - first, ROWS)):
        solved = tl.sum(tl.where((row == i)[:, None], tile, 0.0), 0)
        if not UNIT:  # the diagonal of a unit triangle is not read
            solved = tl.div_rn(solved, tl.full([COLS], tl.load(at_t + i * (t_row + t_col)), tl.float32))
        # Only the named triangle is read: below the diagonal, inside the matrix.
        below = (row > i) & (first + row < rows)
        factor = tl.load(at_t + row.to(tl.int64) * t_row + i * t_col, mask=below, other=0.0)
        tile = tl.where((row == i)[:, None], solved[None, :], tile - factor[:, None] * solved[None, :])
    tl.store(at_x, tile, mask=inside)


@triton.jit
def update_kernel(x, t, scale: "fp64", first, next_row, rows, columns, t_row, t_col, x_row, x_col,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """x[r] = scale * x[r] - sum of T[r, k] x[k] over the solved rows k from `first`, for the rows from next_row."""
    row = next_row + tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inner = first + tl.arange(0, BK).to(tl.int64)
    triangle = tl.load(t + row[:, None] * t_row + inner[None, :] * t_col, mask=(row < rows)[:, None], other=0.0)
    solved = tl.load(x + inner[:, None] * x_row + column[None, :] * x_col, mask=(column < columns)[None, :], other=0.0)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    at_x = x + row[:, None] * x_row + column[None, :] * x_col
    old = tl.load(at_x, mask=inside, other=0.0) * tl.full([BM, BN], scale, tl.float32)
    tl.store(at_x, old - tl.dot(triangle, solved, input_precision="ieee"), mask=inside)


@triton.jit
def zero_kernel(x, rows, columns, x_row, x_col, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    at_x = x + row[:, None] * x_row + column[None, :] * x_col
    tl.store(at_x, tl.zeros([BM, BN], tl.float32), mask=(row < rows)[:, None] & (column < columns)[None, :])


def strsm(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb):
    if m <= 0 or n <= 0:
        return
    # X op(A) = alpha B is op(A)^T X^T = alpha B^T: the right side is the left one with everything transposed.
    left = side == 0
    rows, columns = (m, n) if left else (n, m)
    x_row, x_col = (1, ldb) if left else (ldb, 1)
    transposed = (trans != 0) == left
    t_row, t_col = (lda, 1) if transposed else (1, lda)
    lower = (uplo == 0) != transposed
    grid = (triton.cdiv(rows, 32), triton.cdiv(columns, 32))
    if alpha == 0:  # A is not read, and B neither
        zero_kernel[grid](B, rows, columns, x_row, x_col, BM=32, BN=32)
        return
    t, x = A, B
    if not lower:  # an upper triangle read backwards, in rows and columns, is a lower one
        t, x = A[(rows - 1) * (t_row + t_col) :], B[(rows - 1) * x_row :]
        t_row, t_col, x_row = -t_row, -t_col, -x_row
    scale = alpha
    for first in range(0, rows, 32):
        solve_kernel[(triton.cdiv(columns, 32),)](x, t, scale, first, rows, columns, t_row, t_col, x_row, x_col,
                                                  UNIT=diag != 0, ROWS=32, COLS=32)
        left_over = rows - first - 32
        if left_over > 0:
            update_kernel[(triton.cdiv(left_over, 32), grid[1])](
                x, t, scale, first, first + 32, rows, columns, t_row, t_col, x_row, x_col, BM=32, BN=32, BK=32)
        scale = 1.0  # B has been scaled once, by the first solve and the first update
