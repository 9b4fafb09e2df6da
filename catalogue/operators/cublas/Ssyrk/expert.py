# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSsyrk: op(A) times its transpose with IEEE f32 products, stored in the named triangle."""
import triton
import triton.language as tl


@triton.jit
def syrk_kernel(c, a, alpha: "fp64", beta: "fp64", n, k, a_n, a_k, ldc, UPPER: tl.constexpr, HAS_BETA: tl.constexpr,
                BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (rows < n)[:, None] & (cols < n)[None, :]
    if UPPER:
        inside = inside & (rows[:, None] <= cols[None, :])
        touches = tl.program_id(0) * BM < (tl.program_id(1) + 1) * BN
    else:
        inside = inside & (rows[:, None] >= cols[None, :])
        touches = tl.program_id(1) * BN < (tl.program_id(0) + 1) * BM
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, tl.where(touches, k, 0), BK):  # tiles beside the triangle multiply nothing
        inner = start + tl.arange(0, BK).to(tl.int64)
        left = tl.load(a + rows[:, None] * a_n + inner[None, :] * a_k,
                       mask=(rows < n)[:, None] & (inner < k)[None, :], other=0.0)
        right = tl.load(a + inner[:, None] * a_k + cols[None, :] * a_n,
                        mask=(inner < k)[:, None] & (cols < n)[None, :], other=0.0)
        acc = tl.dot(left, right, acc, input_precision="ieee")  # never TF32
    at_c = c + rows[:, None] + cols[None, :] * ldc  # column-major
    result = acc * tl.full([BM, BN], alpha, tl.float32)
    if HAS_BETA:  # beta = 0: c is not read, since it may hold NaN
        result += tl.load(at_c, mask=inside, other=0.0) * tl.full([BM, BN], beta, tl.float32)
    tl.store(at_c, result, mask=inside)


def ssyrk(uplo, trans, n, k, alpha, A, lda, beta, C, ldc):
    if n <= 0:
        return
    if alpha == 0:
        k = 0  # A is not read
    strides = (1, lda) if trans == 0 else (lda, 1)
    size = lambda extent, most: min(most, max(16, triton.next_power_of_2(extent)))
    # Small products: more programs, since each waits for memory.
    bn, bk = (16, 32) if n * n < 2**17 else (size(n, 64), size(k, 32))
    syrk_kernel[(triton.cdiv(n, bn), triton.cdiv(n, bn))](C, A, alpha, beta, n, k, *strides, ldc, UPPER=uplo == 1,
                                                          HAS_BETA=beta != 0, BM=bn, BN=bn, BK=bk)
