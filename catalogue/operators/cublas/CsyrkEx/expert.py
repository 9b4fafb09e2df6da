# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasCsyrkEx: op(A) times its transpose, never conjugated; numbers are pairs of f32."""
import torch
import triton
import triton.language as tl


@triton.jit
def load_pair(x, at, inside):
    """Real and imaginary parts of complex elements, which lie side by side."""
    return tl.load(x + 2 * at, mask=inside, other=0.0), tl.load(x + 2 * at + 1, mask=inside, other=0.0)


@triton.jit
def syrk_kernel(c, a, alpha_re: "fp64", alpha_im: "fp64", beta_re: "fp64", beta_im: "fp64", n, k, a_n, a_k, ldc,
                UPPER: tl.constexpr, HAS_BETA: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (rows < n)[:, None] & (cols < n)[None, :]
    if UPPER:
        inside = inside & (rows[:, None] <= cols[None, :])
        touches = tl.program_id(0) * BM < (tl.program_id(1) + 1) * BN
    else:
        inside = inside & (rows[:, None] >= cols[None, :])
        touches = tl.program_id(1) * BN < (tl.program_id(0) + 1) * BM
    re = tl.zeros([BM, BN], tl.float32)
    im = tl.zeros([BM, BN], tl.float32)
    for start in range(0, tl.where(touches, k, 0), BK):  # tiles beside the triangle multiply nothing
        inner = start + tl.arange(0, BK).to(tl.int64)
        a_re, a_im = load_pair(a, rows[:, None] * a_n + inner[None, :] * a_k,
                               (rows < n)[:, None] & (inner < k)[None, :])
        b_re, b_im = load_pair(a, inner[:, None] * a_k + cols[None, :] * a_n,
                               (inner < k)[:, None] & (cols < n)[None, :])
        # Products of f32 do not run on tensor cores, which would round to TF32: a warp sums its small tile itself.
        re += tl.sum(a_re[:, :, None] * b_re[None, :, :] - a_im[:, :, None] * b_im[None, :, :], 1)
        im += tl.sum(a_re[:, :, None] * b_im[None, :, :] + a_im[:, :, None] * b_re[None, :, :], 1)
    at_c = rows[:, None] + cols[None, :] * ldc  # column-major
    f_re = tl.full([BM, BN], alpha_re, tl.float32)
    f_im = tl.full([BM, BN], alpha_im, tl.float32)
    out_re = f_re * re - f_im * im
    out_im = f_re * im + f_im * re
    if HAS_BETA:  # beta = 0: c is not read, since it may hold NaN
        c_re, c_im = load_pair(c, at_c, inside)
        f_re = tl.full([BM, BN], beta_re, tl.float32)
        f_im = tl.full([BM, BN], beta_im, tl.float32)
        out_re += f_re * c_re - f_im * c_im
        out_im += f_re * c_im + f_im * c_re
    tl.store(c + 2 * at_c, out_re, mask=inside)
    tl.store(c + 2 * at_c + 1, out_im, mask=inside)


def csyrk_ex(uplo, trans, n, k, alpha, A, Atype, lda, beta, C, Ctype, ldc):
    if n <= 0:
        return
    alpha, beta = complex(alpha), complex(beta)
    if alpha == 0:
        k = 0  # A is not read
    strides = (1, lda) if trans == 0 else (lda, 1)
    bn, bk = 8, 32
    syrk_kernel[(triton.cdiv(n, bn), triton.cdiv(n, bn))](
        torch.view_as_real(C), torch.view_as_real(A), alpha.real, alpha.imag, beta.real, beta.imag, n, k, *strides, ldc,
        UPPER=uplo == 1, HAS_BETA=beta != 0, BM=bn, BN=bn, BK=bk, num_warps=1)
