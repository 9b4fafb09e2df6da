# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasStrsm: every case is a lower triangle solved from the top, 16 rows at a time."""
import triton
import triton.language as tl


@triton.jit
def solve_kernel(x, t, scale: "fp64", first, last, columns, t_row, t_col, x_row, x_col, UNIT: tl.constexpr,
                 ROWS: tl.constexpr, COLS: tl.constexpr):
    """Rows first .. last - 1 of T X = scale * B for some columns; rows before `first` are subtracted already."""
    lane = tl.arange(0, ROWS)
    column = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    for start in range(first, last, ROWS):
        row = (start + lane).to(tl.int64)
        inside = (row < last)[:, None] & (column < columns)[None, :]
        at_x = x + row[:, None] * x_row + column[None, :] * x_col
        at_t = t + row * t_row
        tile = tl.load(at_x, mask=inside, other=0.0) * tl.full([ROWS, COLS], scale, tl.float32)
        for k in range(first, start, ROWS):  # what this program has solved already
            inner = (k + lane).to(tl.int64)
            factor = tl.load(at_t[:, None] + inner[None, :] * t_col, mask=(row < last)[:, None], other=0.0)
            solved = tl.load(x + inner[:, None] * x_row + column[None, :] * x_col, mask=(column < columns)[None, :],
                             other=0.0)
            tile -= tl.sum(factor[:, :, None] * solved[None, :, :], 1)
        if not UNIT:  # the diagonal of a unit triangle is not read
            diagonal = tl.load(at_t + row * t_col, mask=row < last, other=1.0)
        for i in tl.static_range(ROWS):  # unrolled: all loads are under way before the first row is solved
            solved = tl.gather(tile, tl.full([ROWS, COLS], i, tl.int32), 0)
            if not UNIT:
                solved = solved / tl.gather(diagonal, tl.full([ROWS], i, tl.int32), 0)[:, None]
            # Only the named triangle is read: below the diagonal, inside the matrix.
            below = lane > i
            factor = tl.load(at_t + (start + i).to(tl.int64) * t_col, mask=below & (row < last), other=0.0)
            tile = tl.where(below[:, None], tile - factor[:, None] * solved,
                            tl.where((lane == i)[:, None], solved, tile))
        tl.store(at_x, tile, mask=inside)
        tl.debug_barrier()  # the next rows read what other threads have stored


@triton.jit
def update_kernel(x, t, scale: "fp64", first, last, rows, columns, t_row, t_col, x_row, x_col,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """x[r] = scale * x[r] - sum of T[r, k] x[k] over the solved rows first .. last - 1, for the rows behind them."""
    row = last + tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (row < rows)[:, None] & (column < columns)[None, :]
    at_x = x + row[:, None] * x_row + column[None, :] * x_col
    tile = tl.load(at_x, mask=inside, other=0.0) * tl.full([BM, BN], scale, tl.float32)
    for start in range(first, last, BK):  # whole blocks: only the last rows of all are fewer
        inner = start + tl.arange(0, BK).to(tl.int64)
        triangle = tl.load(t + row[:, None] * t_row + inner[None, :] * t_col, mask=(row < rows)[:, None], other=0.0)
        solved = tl.load(x + inner[:, None] * x_row + column[None, :] * x_col, mask=(column < columns)[None, :],
                         other=0.0)
        tile = tl.dot(-triangle, solved, tile, input_precision="ieee")
    tl.store(at_x, tile, mask=inside)


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
    for first in range(0, rows, 64):
        last = min(first + 64, rows)
        solve_kernel[(triton.cdiv(columns, 4),)](x, t, scale, first, last, columns, t_row, t_col, x_row, x_col,
                                                 UNIT=diag != 0, ROWS=16, COLS=4, num_warps=1)
        if last < rows:
            update_kernel[(triton.cdiv(rows - last, 32), grid[1])](
                x, t, scale, first, last, rows, columns, t_row, t_col, x_row, x_col, BM=32, BN=32, BK=32)
        scale = 1.0  # B has been scaled once, by the first solve and the first update
