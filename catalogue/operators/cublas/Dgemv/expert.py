# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasDgemv: a matrix, some rows of op(A) a program."""
import triton
import triton.language as tl


@triton.jit
def gemv_kernel(y, a, x, alpha: "fp64", beta: "fp64", rows, inner, a_row, a_inner, incx, incy,
                HAS_BETA: tl.constexpr, ROWS: tl.constexpr, INNER: tl.constexpr):
    """y = alpha * op(a) x + beta * y for some elements of y; op(a) is a with its strides exchanged or not."""
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, INNER], tl.float64)
    for start in tl.range(0, inner, INNER, loop_unroll_factor=2):
        k = start + tl.arange(0, INNER).to(tl.int64)
        inside = (row < rows)[:, None] & (k < inner)[None, :]
        tile = tl.load(a + row[:, None] * a_row + k[None, :] * a_inner, mask=inside, other=0.0)
        acc += tile * tl.load(x + k * incx, mask=k < inner, other=0.0)[None, :]
    result = tl.sum(acc, 1) * tl.full([ROWS], alpha, tl.float64)
    if HAS_BETA:  # beta = 0: y is not read, since it may hold NaN
        result += tl.load(y + row * incy, mask=row < rows, other=0.0) * tl.full([ROWS], beta, tl.float64)
    tl.store(y + row * incy, result, mask=row < rows)


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 else x[(n - 1) * -inc :]


def dgemv(trans, m, n, alpha, A, lda, x, incx, beta, y, incy):
    if m <= 0 or n <= 0:
        return
    # Lanes follow the direction in which the matrix is contiguous.
    rows, inner, strides, tile = (m, n, (1, lda), (64, 16)) if trans == "N" else (n, m, (lda, 1), (16, 64))
    x, y = from_first(x, inner, incx), from_first(y, rows, incy)
    if alpha == 0:
        inner = 0  # A and x are not read
    gemv_kernel[(triton.cdiv(rows, tile[0]),)](
        y, A, x, alpha, beta, rows, inner, *strides, incx, incy, HAS_BETA=beta != 0, ROWS=tile[0],
        INNER=tile[1], num_warps=32)  # a load or two a thread and many threads: the matrix streams in at full rate
