# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSgemvBatched: matrices behind arrays of addresses, some rows of op(A) a program."""
import triton
import triton.language as tl


@triton.jit
def gemv_kernel(y_array, a_array, x_array, alpha: "fp64", beta: "fp64", rows, inner, a_row, a_inner, incx,
                incy, x_first, y_first, HAS_BETA: tl.constexpr, ROWS: tl.constexpr, INNER: tl.constexpr):
    """y = alpha * op(a) x + beta * y for some elements of y; op(a) is a with its strides exchanged or not."""
    # The arrays hold addresses: one product of the batch for each program_id(1).
    batch = tl.program_id(1)
    a = tl.load(a_array + batch).to(tl.pointer_type(tl.float32))
    x = tl.load(x_array + batch).to(tl.pointer_type(tl.float32)) + x_first
    y = tl.load(y_array + batch).to(tl.pointer_type(tl.float32)) + y_first
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    acc = tl.zeros([ROWS, INNER], tl.float32)
    for start in range(0, inner, INNER):
        k = start + tl.arange(0, INNER).to(tl.int64)
        inside = (row < rows)[:, None] & (k < inner)[None, :]
        tile = tl.load(a + row[:, None] * a_row + k[None, :] * a_inner, mask=inside, other=0.0)
        acc += tile * tl.load(x + k * incx, mask=k < inner, other=0.0)[None, :]
    result = tl.sum(acc, 1) * tl.full([ROWS], alpha, tl.float32)
    if HAS_BETA:  # beta = 0: y is not read, since it may hold NaN
        result += tl.load(y + row * incy, mask=row < rows, other=0.0) * tl.full([ROWS], beta, tl.float32)
    tl.store(y + row * incy, result, mask=row < rows)


def first_of(n, inc):
    """Where a vector's first element lies: with a negative increment it is the last one in memory."""
    return 0 if inc >= 0 else (n - 1) * -inc


def sgemv_batched(trans, m, n, alpha, A, lda, x, incx, beta, y, incy, batch):
    if m <= 0 or n <= 0 or batch <= 0:
        return
    # Lanes follow the direction in which the matrix is contiguous.
    rows, inner, strides, tile = (m, n, (1, lda), (64, 16)) if trans == "N" else (n, m, (lda, 1), (16, 64))
    firsts = first_of(inner, incx), first_of(rows, incy)
    if alpha == 0:
        inner = 0  # A and x are not read
    gemv_kernel[(triton.cdiv(rows, tile[0]), batch)](
        y, A, x, alpha, beta, rows, inner, *strides, incx, incy, *firsts, HAS_BETA=beta != 0, ROWS=tile[0],
        INNER=tile[1])
