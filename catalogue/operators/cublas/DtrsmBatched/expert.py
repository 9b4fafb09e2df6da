# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasDtrsmBatched: every case is a lower triangle solved from the top, 16 rows at a time."""
import triton
import triton.language as tl


@triton.jit
def solve_kernel(x_array, t_array, scale: "fp64", rows, columns, t_first, t_row, t_col, x_first, x_row, x_col,
                 UNIT: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr):
    """T X = scale * B for some columns, from the first row to the last."""
    # The arrays hold addresses: one system of the batch for each program_id(1).
    x = tl.load(x_array + tl.program_id(1)).to(tl.pointer_type(tl.float64)) + x_first
    t = tl.load(t_array + tl.program_id(1)).to(tl.pointer_type(tl.float64)) + t_first
    lane = tl.arange(0, ROWS)
    column = tl.program_id(0).to(tl.int64) * COLS + tl.arange(0, COLS)
    for start in range(0, rows, ROWS):
        row = (start + lane).to(tl.int64)
        inside = (row < rows)[:, None] & (column < columns)[None, :]
        at_x = x + row[:, None] * x_row + column[None, :] * x_col
        at_t = t + row * t_row
        tile = tl.load(at_x, mask=inside, other=0.0) * tl.full([ROWS, COLS], scale, tl.float64)
        for k in range(0, start, ROWS):  # what this program has solved already
            inner = (k + lane).to(tl.int64)
            factor = tl.load(at_t[:, None] + inner[None, :] * t_col, mask=(row < rows)[:, None], other=0.0)
            solved = tl.load(x + inner[:, None] * x_row + column[None, :] * x_col, mask=(column < columns)[None, :],
                             other=0.0)
            tile -= tl.sum(factor[:, :, None] * solved[None, :, :], 1)
        if not UNIT:  # the diagonal of a unit triangle is not read
            diagonal = tl.load(at_t + row * t_col, mask=row < rows, other=1.0)
        for i in tl.static_range(ROWS):  # unrolled: all loads are under way before the first row is solved
            solved = tl.gather(tile, tl.full([ROWS, COLS], i, tl.int32), 0)
            if not UNIT:
                solved = solved / tl.gather(diagonal, tl.full([ROWS], i, tl.int32), 0)[:, None]
            # Only the named triangle is read: below the diagonal, inside the matrix.
            below = lane > i
            factor = tl.load(at_t + (start + i).to(tl.int64) * t_col, mask=below & (row < rows), other=0.0)
            tile = tl.where(below[:, None], tile - factor[:, None] * solved,
                            tl.where((lane == i)[:, None], solved, tile))
        tl.store(at_x, tile, mask=inside)
        tl.debug_barrier()  # the next rows read what other threads have stored


@triton.jit
def zero_kernel(x_array, rows, columns, x_row, x_col, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.load(x_array + tl.program_id(2)).to(tl.pointer_type(tl.float64))
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    at_x = x + row[:, None] * x_row + column[None, :] * x_col
    tl.store(at_x, tl.zeros([BM, BN], tl.float64), mask=(row < rows)[:, None] & (column < columns)[None, :])


def dtrsm_batched(side, uplo, trans, diag, m, n, alpha, A, lda, B, ldb, batch):
    if m <= 0 or n <= 0 or batch <= 0:
        return
    # X op(A) = alpha B is op(A)^T X^T = alpha B^T: the right side is the left one with everything transposed.
    left = side == 0
    rows, columns = (m, n) if left else (n, m)
    x_row, x_col = (1, ldb) if left else (ldb, 1)
    transposed = (trans != 0) == left
    t_row, t_col = (lda, 1) if transposed else (1, lda)
    lower = (uplo == 0) != transposed
    grid = (triton.cdiv(rows, 32), triton.cdiv(columns, 32), batch)
    if alpha == 0:  # A is not read, and B neither
        zero_kernel[grid](B, rows, columns, x_row, x_col, BM=32, BN=32)
        return
    t_first, x_first = 0, 0
    if not lower:  # an upper triangle read backwards, in rows and columns, is a lower one
        t_first, x_first = (rows - 1) * (t_row + t_col), (rows - 1) * x_row
        t_row, t_col, x_row = -t_row, -t_col, -x_row
    solve_kernel[(triton.cdiv(columns, 4), batch)](
        B, A, alpha, rows, columns, t_first, t_row, t_col, x_first, x_row, x_col,
        UNIT=diag != 0, ROWS=16, COLS=4, num_warps=1)
