# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasStrsv: every case is a lower triangle solved from the top, 32 elements at a time."""
import triton
import triton.language as tl


@triton.jit
def solve_kernel(x, t, first, last, t_row, t_col, incx, UNIT: tl.constexpr, ROWS: tl.constexpr, INNER: tl.constexpr):
    """Elements first .. last - 1 of x; those before `first` are subtracted already."""
    lane = tl.arange(0, ROWS)
    for start in range(first, last, ROWS):
        row = (start + lane).to(tl.int64)
        inside = row < last
        at_x = x + row * incx
        at_t = t + row * t_row
        tile = tl.load(at_x, mask=inside, other=0.0)
        for k in range(first, start, INNER):  # what this program has solved already
            inner = (k + tl.arange(0, INNER)).to(tl.int64)
            factor = tl.load(at_t[:, None] + inner[None, :] * t_col, mask=inside[:, None] & (inner < start)[None, :],
                             other=0.0)
            tile -= tl.sum(factor * tl.load(x + inner * incx, mask=inner < start, other=0.0)[None, :], 1)
        if not UNIT:  # the diagonal of a unit triangle is not read
            diagonal = tl.load(at_t + row * t_col, mask=inside, other=1.0)
        for i in tl.static_range(ROWS):  # unrolled: all loads are under way before the first element is solved
            which = tl.full([ROWS], i, tl.int32)
            solved = tl.gather(tile, which, 0)
            if not UNIT:
                solved = solved / tl.gather(diagonal, which, 0)
            # Only the named triangle is read: below the diagonal, inside the matrix.
            factor = tl.load(at_t + (start + i).to(tl.int64) * t_col, mask=inside & (lane > i), other=0.0)
            tile = tl.where(lane > i, tile - factor * solved, tl.where(lane == i, solved, tile))
        tl.store(at_x, tile, mask=inside)
        tl.debug_barrier()  # the next elements read what other threads have stored


@triton.jit
def update_kernel(x, t, first, last, n, t_row, t_col, incx, ROWS: tl.constexpr, INNER: tl.constexpr):
    """x[r] -= sum of T[r, k] x[k] over the solved elements first .. last - 1, for the elements r behind them."""
    row = last + tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    at_x = x + row * incx
    tile = tl.load(at_x, mask=row < n, other=0.0)
    for start in range(first, last, INNER):  # whole blocks: only the last elements of all are fewer
        inner = start + tl.arange(0, INNER).to(tl.int64)
        factor = tl.load(t + row[:, None] * t_row + inner[None, :] * t_col, mask=(row < n)[:, None], other=0.0)
        tile -= tl.sum(factor * tl.load(x + inner * incx)[None, :], 1)
    tl.store(at_x, tile, mask=row < n)


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
    for first in range(0, n, 128):
        last = min(first + 128, n)
        solve_kernel[(1,)](x, A, first, last, t_row, t_col, incx, UNIT=diag != 0, ROWS=32, INNER=64)
        if last < n:
            update_kernel[(triton.cdiv(n - last, 32),)](x, A, first, last, n, t_row, t_col, incx, ROWS=32, INNER=64)
