# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::awq_gemm: tiles of weights are unpacked and scaled in registers, products add up in f32."""
import torch
import triton
import triton.language as tl


@triton.jit
def awq_kernel(out, x, qweight, scales, qzeros, m, n, k, group, x_row, x_step, BM: tl.constexpr, BN: tl.constexpr,
               BK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    # AWQ packs the even columns of a word's eight first, then the odd ones.
    shift = (4 * (column % 2 * 4 + column % 8 // 2))[None, :]
    word = (column // 8)[None, :]
    real = (column < n)[None, :]
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        g = inner[:, None] // group
        inside = (inner < k)[:, None] & real
        a = tl.load(x + row[:, None] * x_row + inner[None, :] * x_step,
                    mask=(row < m)[:, None] & (inner < k)[None, :], other=0)
        q = (tl.load(qweight + inner[:, None] * (n // 8) + word, mask=inside, other=0) >> shift) & 15
        z = (tl.load(qzeros + g * (n // 8) + word, mask=inside, other=0) >> shift) & 15
        s = tl.load(scales + g * n + column[None, :], mask=inside, other=0)
        weight = ((q - z).to(tl.float32) * s.to(tl.float32)).to(tl.float16)
        acc = tl.dot(a, weight, acc)
    tl.store(out + row[:, None] * n + column[None, :], acc.to(tl.float16), mask=(row < m)[:, None] & real)


def awq_gemm(input, qweight, scales, qzeros, split_k_iters):
    m, k = input.shape
    groups, n = scales.shape
    out = torch.empty((m, n), dtype=torch.float16, device=input.device)
    if out.numel():
        bm = min(64, max(16, triton.next_power_of_2(m)))
        awq_kernel[(triton.cdiv(m, bm), triton.cdiv(n, 64))](
            out, input, qweight, scales, qzeros, m, n, k, k // groups, *input.stride(), BM=bm, BN=64, BK=32)
    return out
