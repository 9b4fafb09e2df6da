# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::cutlass_scaled_mm_azp: exact int32 sums and corrections, then scales and bias in f32."""
import torch
import triton
import triton.language as tl


@triton.jit
def azp_kernel(out, a, b, scale_a, scale_b, adjustment, azp, bias, m, n, k, a_row, a_step, b_row, b_step, by_row,
               by_column, HAS_AZP: tl.constexpr, HAS_BIAS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.int32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        x = tl.load(a + row[:, None] * a_row + inner[None, :] * a_step,
                    mask=(row < m)[:, None] & (inner < k)[None, :], other=0)
        w = tl.load(b + inner[:, None] * b_row + column[None, :] * b_step,
                    mask=(inner < k)[:, None] & (column < n)[None, :], other=0)
        acc = tl.dot(x, w, acc, out_dtype=tl.int32)
    taken_off = tl.load(adjustment + column, mask=column < n, other=0)[None, :]
    if HAS_AZP:  # else the zero point is in the adjustment already
        taken_off = tl.load(azp + row, mask=row < m, other=0)[:, None] * taken_off
    total = (acc - taken_off).to(tl.float32)
    # A scale for all stands at the same place for every row or column: a stride of 0.
    rows = tl.load(scale_a + row * by_row, mask=row < m, other=0)
    columns = tl.load(scale_b + column * by_column, mask=column < n, other=0)
    total = rows[:, None] * (columns[None, :] * total)
    if HAS_BIAS:
        total += tl.load(bias + column, mask=column < n, other=0).to(tl.float32)[None, :]
    tl.store(out + row[:, None] * n + column[None, :], total.to(out.dtype.element_ty),
             mask=(row < m)[:, None] & (column < n)[None, :])


def cutlass_scaled_mm_azp(a, b, scale_a, scale_b, out_dtype, azp_adj, azp=None, bias=None):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=out_dtype, device=a.device)
    if out.numel():
        bm = min(64, max(16, triton.next_power_of_2(m)))
        azp_kernel[(triton.cdiv(m, bm), triton.cdiv(n, 64))](
            out, a, b, scale_a, scale_b, azp_adj, azp_adj if azp is None else azp, out if bias is None else bias, m, n,
            k, *a.stride(), *b.stride(), int(scale_a.numel() > 1), int(scale_b.numel() > 1), HAS_AZP=azp is not None,
            HAS_BIAS=bias is not None, BM=bm, BN=64, BK=64)
    return out
