# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasDgemmBatched: f64 matrices behind arrays of addresses, by tiles on the tensor cores."""
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(c_array, a_array, b_array, alpha: "fp64", beta: "fp64", m, n, k, a_m, a_k, b_k, b_n, ldc,
                HAS_BETA: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One tile of c = alpha * op(a) op(b) + beta * c. A transposed operand is the same memory with strides swapped."""
    # The arrays hold addresses: one matrix of the batch for each program_id(2).
    batch = tl.program_id(2)
    a = tl.load(a_array + batch).to(tl.pointer_type(tl.float64))
    b = tl.load(b_array + batch).to(tl.pointer_type(tl.float64))
    c = tl.load(c_array + batch).to(tl.pointer_type(tl.float64))
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float64)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        tile_a = tl.load(a + rows[:, None] * a_m + inner[None, :] * a_k,
                         mask=(rows < m)[:, None] & (inner < k)[None, :], other=0.0)
        tile_b = tl.load(b + inner[:, None] * b_k + cols[None, :] * b_n,
                         mask=(inner < k)[:, None] & (cols < n)[None, :], other=0.0)
        acc = tl.dot(tile_a, tile_b, acc, out_dtype=tl.float64)
    inside = (rows < m)[:, None] & (cols < n)[None, :]
    at_c = c + rows[:, None] + cols[None, :] * ldc  # column-major
    result = acc * tl.full([BM, BN], alpha, tl.float64)
    if HAS_BETA:  # beta = 0: c is not read, since it may hold NaN
        result += tl.load(at_c, mask=inside, other=0.0) * tl.full([BM, BN], beta, tl.float64)
    tl.store(at_c, result, mask=inside)


def dgemm_batched(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch):
    if m <= 0 or n <= 0 or batch <= 0:
        return
    if alpha == 0:
        k = 0  # A and B are not read
    strides_a = (1, lda) if transa == "N" else (lda, 1)
    strides_b = (1, ldb) if transb == "N" else (ldb, 1)
    bm, bn = 16 if m * n * batch < 2**17 else 32, 32  # small matrices: more programs, since one waits for memory
    gemm_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn), batch)](
        C, A, B, alpha, beta, m, n, k, *strides_a, *strides_b, ldc, HAS_BETA=beta != 0, BM=bm, BN=bn, BK=16)
