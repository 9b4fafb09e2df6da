# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSgeam: one program per tile of C; a transposed matrix is the same memory with strides swapped."""
import triton
import triton.language as tl


@triton.jit
def scaled_tile(x, factor, row, column, inside, x_row, x_column):
    tile = tl.load(x + row[:, None] * x_row + column[None, :] * x_column, mask=inside, other=0.0)
    return tile * factor.to(tl.float32)


@triton.jit
def geam_kernel(c, a, b, alpha: "fp64", beta: "fp64", m, n, a_row, a_column, b_row, b_column, ldc,
                HAS_A: tl.constexpr, HAS_B: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (row < m)[:, None] & (column < n)[None, :]
    result = tl.zeros([BM, BN], tl.float32)
    if HAS_A:  # a matrix with a factor of 0 is not read, since it may hold NaN
        result += scaled_tile(a, alpha, row, column, inside, a_row, a_column)
    if HAS_B:
        result += scaled_tile(b, beta, row, column, inside, b_row, b_column)
    tl.store(c + row[:, None] + column[None, :] * ldc, result, mask=inside)  # column-major


def sgeam(transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc):
    if m <= 0 or n <= 0:
        return
    strides_a = (1, lda) if transa == 0 else (lda, 1)
    strides_b = (1, ldb) if transb == 0 else (ldb, 1)
    geam_kernel[(triton.cdiv(m, 64), triton.cdiv(n, 32))](C, A, B, alpha, beta, m, n, *strides_a, *strides_b, ldc,
                                                          HAS_A=alpha != 0, HAS_B=beta != 0, BM=64, BN=32)
