# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::gptq_gemm: tiles of weights are unpacked and scaled in registers, products add up in f32."""
import torch
import triton
import triton.language as tl


@triton.jit
def gptq_kernel(out, a, weight, zeros, scales, index, m, n, k, group_size, a_row, a_step, HAS_INDEX: tl.constexpr,
                EXLLAMA: tl.constexpr, V2: tl.constexpr, BITS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                BK: tl.constexpr):
    PACK: tl.constexpr = 32 // BITS
    MASK: tl.constexpr = (1 << BITS) - 1
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = (tl.program_id(1) * BN + tl.arange(0, BN))[None, :]
    real = column < n
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        live = inner < k
        # exllama: the index is the column of a for each packed row; plain: the row's group.
        looked_up = tl.load(index + inner, mask=live, other=0) if HAS_INDEX else inner
        source = looked_up if EXLLAMA else inner
        group = (inner // group_size if EXLLAMA else looked_up)[:, None]
        x = tl.load(a + row[:, None] * a_row + source[None, :] * a_step, mask=(row < m)[:, None] & live[None, :],
                    other=0)
        field = inner % PACK
        if EXLLAMA and BITS == 4:
            field = field // 2 + 4 * (field % 2)  # the even rows of a word come first
        inside = live[:, None] & real
        q = tl.load(weight + (inner // PACK)[:, None] * n + column, mask=inside, other=0)
        q = (q >> (BITS * field)[:, None]) & MASK
        z = tl.load(zeros + group * (n // PACK) + column // PACK, mask=inside, other=0)
        z = (z >> (BITS * (column % PACK))) & MASK
        if not V2:
            z += 1
        s = tl.load(scales + group * n + column, mask=inside, other=0).to(tl.float32)
        acc = tl.dot(x, ((q - z).to(tl.float32) * s).to(tl.float16), acc)
    tl.store(out + row[:, None] * n + column, acc.to(tl.float16), mask=(row < m)[:, None] & real)


def gptq_gemm(a, b_q_weight, b_gptq_qzeros, b_gptq_scales, b_g_idx, use_exllama, use_v2_format, bit):
    if bit not in (4, 8):
        raise NotImplementedError(f"{bit} bits")
    (m, k), n = a.shape, b_q_weight.shape[1]
    out = torch.empty((m, n), dtype=torch.float16, device=a.device)
    if out.numel():
        bm = min(64, max(16, triton.next_power_of_2(m)))
        gptq_kernel[(triton.cdiv(m, bm), triton.cdiv(n, 64))](
            out, a, b_q_weight, b_gptq_qzeros, b_gptq_scales, b_g_idx, m, n, k, k // b_gptq_scales.shape[0],
            *a.stride(), HAS_INDEX=b_g_idx.numel() > 0, EXLLAMA=use_exllama, V2=use_v2_format, BITS=bit, BM=bm, BN=64,
            BK=32)
    return out
