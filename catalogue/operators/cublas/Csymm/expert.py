# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasCsymm: elements of A beside the named triangle are read from their mirror image."""
import torch
import triton
import triton.language as tl


@triton.jit
def load_pair(x, at, inside):
    """Real and imaginary parts of complex elements, which lie side by side."""
    return tl.load(x + 2 * at, mask=inside, other=0.0), tl.load(x + 2 * at + 1, mask=inside, other=0.0)


@triton.jit
def load_symmetric(a, row, column, n, lda, UPPER: tl.constexpr):
    """A tile of the symmetric matrix of which one triangle is stored."""
    low = tl.minimum(row[:, None], column[None, :])
    high = tl.maximum(row[:, None], column[None, :])
    at = low + high * lda if UPPER else high + low * lda
    return load_pair(a, at, high < n)


@triton.jit
def symm_kernel(c, a, b, alpha_re: "fp64", alpha_im: "fp64", beta_re: "fp64", beta_im: "fp64", m, n, order, lda, ldb,
                ldc, LEFT: tl.constexpr, UPPER: tl.constexpr, HAS_BETA: tl.constexpr, BM: tl.constexpr,
                BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    cols = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    re = tl.zeros([BM, BN], tl.float32)
    im = tl.zeros([BM, BN], tl.float32)
    for start in range(0, order, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        if LEFT:
            p_re, p_im = load_symmetric(a, rows, inner, order, lda, UPPER)
            q_re, q_im = load_pair(b, inner[:, None] + cols[None, :] * ldb,
                                   (inner < order)[:, None] & (cols < n)[None, :])
        else:
            p_re, p_im = load_pair(b, rows[:, None] + inner[None, :] * ldb,
                                   (rows < m)[:, None] & (inner < order)[None, :])
            q_re, q_im = load_symmetric(a, inner, cols, order, lda, UPPER)
        # Products of f32 do not run on tensor cores, which would round to TF32: a warp sums its small tile itself.
        re += tl.sum(p_re[:, :, None] * q_re[None, :, :] - p_im[:, :, None] * q_im[None, :, :], 1)
        im += tl.sum(p_re[:, :, None] * q_im[None, :, :] + p_im[:, :, None] * q_re[None, :, :], 1)
    inside = (rows < m)[:, None] & (cols < n)[None, :]
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


def csymm(side, uplo, m, n, alpha, A, lda, B, ldb, beta, C, ldc):
    if m <= 0 or n <= 0:
        return
    alpha, beta = complex(alpha), complex(beta)
    order = m if side == 0 else n
    if alpha == 0:
        order = 0  # A and B are not read
    bm, bn, bk = 8, 8, 32
    a, b, c = torch.view_as_real(A), torch.view_as_real(B), torch.view_as_real(C)  # the same memory as reals
    symm_kernel[(triton.cdiv(m, bm), triton.cdiv(n, bn))](
        c, a, b, alpha.real, alpha.imag, beta.real, beta.imag, m, n, order, lda, ldb, ldc, LEFT=side == 0,
        UPPER=uplo == 1, HAS_BETA=beta != 0, BM=bm, BN=bn, BK=bk, num_warps=1)
