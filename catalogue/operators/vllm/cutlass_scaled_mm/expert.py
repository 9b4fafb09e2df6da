# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::cutlass_scaled_mm: int8 tiles multiply to exact int32 sums, e4m3 bytes are read as f16."""
import torch
import triton
import triton.language as tl


@triton.jit
def e4m3_as_f16(code):
    """f16 whose value is 2^-8 of the e4m3 number's: its exponent is biased by 8 more. Runs on every target."""
    wide = code.to(tl.uint16)
    half = ((wide & 0x80) << 8 | (wide & 0x7F) << 7).to(tl.float16, bitcast=True)
    return tl.where((wide & 0x7F) == 0x7F, float("nan"), half).to(tl.float16)


@triton.jit
def scaled_kernel(out, a, b, scale_a, scale_b, bias, m, n, k, a_row, a_step, b_row, b_step, by_row, by_column,
                  FP8: tl.constexpr, HAS_BIAS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], tl.float32 if FP8 else tl.int32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        x = tl.load(a + row[:, None] * a_row + inner[None, :] * a_step,
                    mask=(row < m)[:, None] & (inner < k)[None, :], other=0)
        w = tl.load(b + inner[:, None] * b_row + column[None, :] * b_step,
                    mask=(inner < k)[:, None] & (column < n)[None, :], other=0)
        if FP8:
            acc = tl.dot(e4m3_as_f16(x), e4m3_as_f16(w), acc)
        else:
            acc = tl.dot(x, w, acc, out_dtype=tl.int32)
    total = acc.to(tl.float32)
    if FP8:
        total *= 65536.0  # both factors were 2^-8 of themselves
    # A scale for all stands at the same place for every row or column: a stride of 0.
    rows = tl.load(scale_a + row * by_row, mask=row < m, other=0)
    columns = tl.load(scale_b + column * by_column, mask=column < n, other=0)
    total = rows[:, None] * (columns[None, :] * total)
    if HAS_BIAS:
        total += tl.load(bias + column, mask=column < n, other=0).to(tl.float32)[None, :]
    tl.store(out + row[:, None] * n + column[None, :], total.to(out.dtype.element_ty),
             mask=(row < m)[:, None] & (column < n)[None, :])


def cutlass_scaled_mm(a, b, scale_a, scale_b, out_dtype, bias=None):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=out_dtype, device=a.device)
    fp8 = a.dtype != torch.int8
    if fp8:
        a, b = a.view(torch.uint8), b.view(torch.uint8)
    if out.numel():
        bm = min(64, max(16, triton.next_power_of_2(m)))
        scaled_kernel[(triton.cdiv(m, bm), triton.cdiv(n, 64))](
            out, a, b, scale_a, scale_b, out if bias is None else bias, m, n, k, *a.stride(), *b.stride(),
            int(scale_a.numel() > 1), int(scale_b.numel() > 1), FP8=fp8, HAS_BIAS=bias is not None, BM=bm, BN=64,
            BK=64)
    return out
