# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasZgemmBatched: pairs of f64 behind arrays of addresses; a product is four real ones."""
import triton
import triton.language as tl


@triton.jit
def load_pair(x, at, inside, CONJUGATE: tl.constexpr):
    """Real and imaginary parts of complex elements, which lie side by side."""
    re = tl.load(x + 2 * at, mask=inside, other=0.0)
    im = tl.load(x + 2 * at + 1, mask=inside, other=0.0)
    return re, -im if CONJUGATE else im


@triton.jit
def gemm_kernel(c_array, a_array, b_array, alpha_re: "fp64", alpha_im: "fp64", beta_re: "fp64",
                beta_im: "fp64", m, n, k, a_m, a_k, b_k, b_n, ldc, CONJ_A: tl.constexpr, CONJ_B: tl.constexpr,
                HAS_BETA: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """One tile of c = alpha * op(a) op(b) + beta * c. A transposed operand is the same memory with strides swapped."""
    # The arrays hold addresses: one matrix of the batch for each program_id(2).
    batch = tl.program_id(2)
    a = tl.load(a_array + batch).to(tl.pointer_type(tl.float64))
    b = tl.load(b_array + batch).to(tl.pointer_type(tl.float64))
    c = tl.load(c_array + batch).to(tl.pointer_type(tl.float64))
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    re = tl.zeros([BM, BN], tl.float64)
    im = tl.zeros([BM, BN], tl.float64)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        a_re, a_im = load_pair(a, rows[:, None] * a_m + inner[None, :] * a_k,
                               (rows < m)[:, None] & (inner < k)[None, :], CONJ_A)
        b_re, b_im = load_pair(b, inner[:, None] * b_k + cols[None, :] * b_n,
                               (inner < k)[:, None] & (cols < n)[None, :], CONJ_B)
        re = tl.dot(a_re, b_re, re, out_dtype=tl.float64)
        re = tl.dot(-a_im, b_im, re, out_dtype=tl.float64)
        im = tl.dot(a_re, b_im, im, out_dtype=tl.float64)
        im = tl.dot(a_im, b_re, im, out_dtype=tl.float64)
    inside = (rows < m)[:, None] & (cols < n)[None, :]
    at_c = rows[:, None] + cols[None, :] * ldc  # column-major
    out_re = alpha_re * re - alpha_im * im
    out_im = alpha_re * im + alpha_im * re
    if HAS_BETA:  # beta = 0: c is not read, since it may hold NaN
        c_re, c_im = load_pair(c, at_c, inside, False)
        out_re += beta_re * c_re - beta_im * c_im
        out_im += beta_re * c_im + beta_im * c_re
    tl.store(c + 2 * at_c, out_re, mask=inside)
    tl.store(c + 2 * at_c + 1, out_im, mask=inside)


def zgemm_batched(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc, batch):
    if m <= 0 or n <= 0 or batch <= 0:
        return
    alpha, beta = complex(alpha), complex(beta)
    if alpha == 0:
        k = 0  # A and B are not read
    strides_a = (1, lda) if transa == "N" else (lda, 1)
    strides_b = (1, ldb) if transb == "N" else (ldb, 1)
    bm, bn = 16, 32
    gemm_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn), batch)](
        C, A, B, alpha.real, alpha.imag, beta.real, beta.imag, m, n, k, *strides_a, *strides_b, ldc,
        CONJ_A=transa == "C", CONJ_B=transb == "C", HAS_BETA=beta != 0, BM=bm, BN=bn, BK=16)
