# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSgemmStridedBatched: f32 matrices at a fixed distance from each other, with IEEE f32 products."""
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(c, a, b, alpha: "fp64", beta: "fp64", m, n, k, a_m, a_k, a_next, b_k, b_n, b_next, ldc,
                c_next, HAS_BETA: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One tile of c = alpha * op(a) op(b) + beta * c. A transposed operand is the same memory with strides swapped."""
    batch = tl.program_id(2).to(tl.int64)
    a += batch * a_next
    b += batch * b_next
    c += batch * c_next
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        tile_a = tl.load(a + rows[:, None] * a_m + inner[None, :] * a_k,
                         mask=(rows < m)[:, None] & (inner < k)[None, :], other=0.0)
        tile_b = tl.load(b + inner[:, None] * b_k + cols[None, :] * b_n,
                         mask=(inner < k)[:, None] & (cols < n)[None, :], other=0.0)
        acc = tl.dot(tile_a, tile_b, acc, input_precision="ieee")  # never TF32
    inside = (rows < m)[:, None] & (cols < n)[None, :]
    at_c = c + rows[:, None] + cols[None, :] * ldc  # column-major
    result = acc * tl.full([BM, BN], alpha, tl.float32)
    if HAS_BETA:  # beta = 0: c is not read, since it may hold NaN
        result += tl.load(at_c, mask=inside, other=0.0) * tl.full([BM, BN], beta, tl.float32)
    tl.store(at_c, result, mask=inside)


def sgemm_strided_batched(transa, transb, m, n, k, alpha, A, lda, stride_a, B, ldb, stride_b, beta, C, ldc,
                          stride_c, batch):
    if m <= 0 or n <= 0 or batch <= 0:
        return
    if alpha == 0:
        k = 0  # A and B are not read
    strides_a = (1, lda) if transa == "N" else (lda, 1)
    strides_b = (1, ldb) if transb == "N" else (ldb, 1)
    size = lambda extent, most: min(most, max(16, triton.next_power_of_2(extent)))
    # Small products: more programs, since each waits for memory.
    bm, bn, bk = (16, 16, 32) if m * n * batch < 2**17 else (size(m, 128), size(n, 64), size(k, 64))
    gemm_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn), batch)](
        C, A, B, alpha, beta, m, n, k, *strides_a, stride_a, *strides_b, stride_b, ldc, stride_c,
        HAS_BETA=beta != 0, BM=bm, BN=bn, BK=bk)
