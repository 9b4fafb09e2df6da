# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::allspark_w8a16_gemm: weights are gathered from AllSpark's order and scaled in registers."""
import torch
import triton
import triton.language as tl


@triton.jit
def allspark_kernel(out, a, weight, scales, zeros, m, n, k, a_row, a_step, HAS_ZERO: tl.constexpr, BM: tl.constexpr,
                    BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    real = column < n
    place = 32 * (column // 32) + 4 * (column % 8) + column % 32 // 8
    scale = tl.load(scales + place, mask=real, other=0).to(tl.float32)[None, :]
    kind = a.dtype.element_ty
    # A group of 32 columns is stored as 8 lines; a line has 64 bytes for each 16 rows: 4 columns, 8 apart, of each.
    at_column = ((8 * (column // 32) + column % 8).to(tl.int64) * 4 * k + 4 * (column % 32 // 8))[None, :]
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        x = tl.load(a + row[:, None] * a_row + inner[None, :] * a_step,
                    mask=(row < m)[:, None] & (inner < k)[None, :], other=0)
        at_row = (64 * (inner // 16) + 16 * (inner % 8 // 2) + 2 * (inner % 16 // 8) + inner % 2)[:, None]
        q = tl.load(weight + at_column + at_row, mask=(inner < k)[:, None] & real[None, :], other=128)
        centred = q.to(tl.float32) - 128.0
        if HAS_ZERO:
            zero = tl.load(zeros + place, mask=real, other=0).to(tl.float32)[None, :]
            centred = (centred - zero).to(kind).to(tl.float32)
        acc = tl.dot(x, (centred * scale).to(kind), acc)
    tl.store(out + row[:, None] * n + column[None, :], acc.to(kind), mask=(row < m)[:, None] & real[None, :])


def allspark_w8a16_gemm(a, b_qweight, b_scales, b_qzeros, n, group_size, sm_count, sm_version, CUBLAS_M_THRESHOLD,
                        has_zp, n32k16_reorder):
    m, k = a.shape
    out = torch.empty((m, n), dtype=a.dtype, device=a.device)
    if out.numel():
        bm = min(64, max(16, triton.next_power_of_2(m)))
        allspark_kernel[(triton.cdiv(m, bm), triton.cdiv(n, 64))](
            out, a, b_qweight, b_scales, b_qzeros if has_zp else b_scales, m, n, k, *a.stride(), HAS_ZERO=has_zp, BM=bm,
            BN=64, BK=32)
    return out
