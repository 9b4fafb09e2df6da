# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSgemmEx: operands of 8, 16 or 32 bits, products and sums in f32."""
import torch
import triton
import triton.language as tl


@triton.jit
def gemm_kernel(c, a, b, alpha: "fp64", beta: "fp64", m, n, k, a_m, a_k, b_k, b_n, ldc, OPERAND: tl.constexpr,
                HAS_BETA: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One tile of c = alpha * op(a) op(b) + beta * c. A transposed operand is the same memory with strides swapped."""
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        tile_a = tl.load(a + rows[:, None] * a_m + inner[None, :] * a_k,
                         mask=(rows < m)[:, None] & (inner < k)[None, :], other=0)
        tile_b = tl.load(b + inner[:, None] * b_k + cols[None, :] * b_n,
                         mask=(inner < k)[:, None] & (cols < n)[None, :], other=0)
        acc = tl.dot(tile_a.to(OPERAND), tile_b.to(OPERAND), acc, input_precision="ieee")  # never TF32
    inside = (rows < m)[:, None] & (cols < n)[None, :]
    at_c = c + rows[:, None] + cols[None, :] * ldc  # column-major
    result = acc * tl.full([BM, BN], alpha, tl.float32)
    if HAS_BETA:  # beta = 0: c is not read, since it may hold NaN
        result += tl.load(at_c, mask=inside, other=0.0).to(tl.float32) * tl.full([BM, BN], beta, tl.float32)
    tl.store(at_c, result.to(c.dtype.element_ty), mask=inside)


# The smallest type of tl.dot that holds the operand's values exactly: 8-bit integers fit f16.
OPERANDS = {torch.float32: tl.float32, torch.float16: tl.float16, torch.bfloat16: tl.bfloat16, torch.int8: tl.float16}


def sgemm_ex(transa, transb, m, n, k, alpha, A, Atype, lda, B, Btype, ldb, beta, C, Ctype, ldc):
    if m <= 0 or n <= 0:
        return
    if alpha == 0:
        k = 0  # A and B are not read
    strides_a = (1, lda) if transa == "N" else (lda, 1)
    strides_b = (1, ldb) if transb == "N" else (ldb, 1)
    size = lambda extent, most: min(most, max(16, triton.next_power_of_2(extent)))
    # Small products: more programs, since each waits for memory.
    bm, bn, bk = (16, 16, 32) if m * n < 2**17 else (size(m, 64), size(n, 64), size(k, 32))
    gemm_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn))](
        C, A, B, alpha, beta, m, n, k, *strides_a, *strides_b, ldc, OPERAND=OPERANDS[A.dtype], HAS_BETA=beta != 0,
        BM=bm, BN=bn, BK=bk)
