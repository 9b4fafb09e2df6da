# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasCgemm: complex numbers are pairs of f32, their product four real ones."""
import torch
import triton
import triton.language as tl


@triton.jit
def load_pair(x, at, inside, CONJUGATE: tl.constexpr):
    """Real and imaginary parts of complex elements, which lie side by side."""
    re = tl.load(x + 2 * at, mask=inside, other=0.0)
    im = tl.load(x + 2 * at + 1, mask=inside, other=0.0)
    return re, -im if CONJUGATE else im


@triton.jit
def cgemm_kernel(c, a, b, alpha_re: "fp64", alpha_im: "fp64", beta_re: "fp64", beta_im: "fp64", m, n, k,
                 a_m, a_k, b_k, b_n, ldc, CONJ_A: tl.constexpr, CONJ_B: tl.constexpr, HAS_BETA: tl.constexpr,
                 BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    re = tl.zeros([BM, BN], tl.float32)
    im = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        a_re, a_im = load_pair(a, rows[:, None] * a_m + inner[None, :] * a_k,
                               (rows < m)[:, None] & (inner < k)[None, :], CONJ_A)
        b_re, b_im = load_pair(b, inner[:, None] * b_k + cols[None, :] * b_n,
                               (inner < k)[:, None] & (cols < n)[None, :], CONJ_B)
        # Products of f32 do not run on tensor cores, which would round to TF32: a warp sums its small tile itself.
        re += tl.sum(a_re[:, :, None] * b_re[None, :, :] - a_im[:, :, None] * b_im[None, :, :], 1)
        im += tl.sum(a_re[:, :, None] * b_im[None, :, :] + a_im[:, :, None] * b_re[None, :, :], 1)
    inside = (rows < m)[:, None] & (cols < n)[None, :]
    at_c = rows[:, None] + cols[None, :] * ldc  # column-major
    f_re = tl.full([BM, BN], alpha_re, tl.float32)
    f_im = tl.full([BM, BN], alpha_im, tl.float32)
    out_re = f_re * re - f_im * im
    out_im = f_re * im + f_im * re
    if HAS_BETA:  # beta = 0: c is not read, since it may hold NaN
        c_re, c_im = load_pair(c, at_c, inside, False)
        f_re = tl.full([BM, BN], beta_re, tl.float32)
        f_im = tl.full([BM, BN], beta_im, tl.float32)
        out_re += f_re * c_re - f_im * c_im
        out_im += f_re * c_im + f_im * c_re
    tl.store(c + 2 * at_c, out_re, mask=inside)
    tl.store(c + 2 * at_c + 1, out_im, mask=inside)


def cgemm(transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    if m <= 0 or n <= 0:
        return
    alpha, beta = complex(alpha), complex(beta)
    if alpha == 0:
        k = 0  # A and B are not read
    strides_a = (1, lda) if transa == "N" else (lda, 1)
    strides_b = (1, ldb) if transb == "N" else (ldb, 1)
    bm, bn, bk = 8, 8, 32
    a, b, c = torch.view_as_real(A), torch.view_as_real(B), torch.view_as_real(C)  # the same memory as f32
    cgemm_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn))](
        c, a, b, alpha.real, alpha.imag, beta.real, beta.imag, m, n, k, *strides_a, *strides_b, ldc,
        CONJ_A=transa == "C", CONJ_B=transb == "C", HAS_BETA=beta != 0, BM=bm, BN=bn, BK=bk, num_warps=1)
