# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::gptq_marlin_24_gemm: dense tiles are rebuilt from kept weights and positions."""
import torch
import triton
import triton.language as tl

BITS = {1125899907892224: 4, 1125899923621888: 8}  # uint4b8, uint8b128


@triton.jit
def position(meta, quad, n, size_n, inside):
    """The code, first | second << 2, of four rows and a column; words of 16 rows stand in CUTLASS's order."""
    c = quad // 4
    r = 64 * (n // 64) + 2 * (n % 2) + n % 8 // 4 + 32 * (n % 4 // 2) + 4 * (n % 64 // 8)
    swap = ((r % 2 == 0) & (c % 2 == 1)).to(tl.int32) - ((r % 2 == 1) & (c % 2 == 0)).to(tl.int32)
    r = r + swap
    c = c - swap
    word = tl.load(meta + c // 2 * 2 * size_n + 2 * r + c % 2, mask=inside, other=0).to(tl.int32)
    return (word >> (4 * (quad % 4))) & 15


@triton.jit
def kept_weight(weight, k, n, size_n, inside, BITS: tl.constexpr):
    """q of kept row k: 1024 weights are four blocks of 16 x 16, of which a thread holds eight for each j."""
    chunk = k // 16 * (size_n // 64) + n // 64
    thread = 4 * (2 * (n % 64 // 16) + n % 16 // 8) + k % 8 // 2
    v = k % 2 + 2 * (k % 16 // 8)
    if BITS == 4:
        v = v + 4 * (n % 8 // 4)
        word = chunk * 128 + thread * 4 + n % 4
        field = v % 2 * 4 + v // 2
    else:
        word = chunk * 256 + thread * 8 + n % 4 * 2 + n % 8 // 4
        field = v % 2 * 2 + v // 2
    return (tl.load(weight + word, mask=inside, other=0) >> (BITS * field)) & ((1 << BITS) - 1)


@triton.jit
def sparse_kernel(out, a, weight, meta, scales, m, n, k, group_size, GROUPED: tl.constexpr, BITS: tl.constexpr,
                  BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = (tl.program_id(1) * BN + tl.arange(0, BN))[None, :]
    # With several groups, eight columns' scales stand in the order 0 4 1 5 2 6 3 7.
    at_scale = 8 * (column // 8) + column % 8 % 4 * 2 + column % 8 // 4 if GROUPED else column
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        live = inner < k
        x = tl.load(a + row[:, None] * k + inner[None, :], mask=(row < m)[:, None] & live[None, :], other=0)
        r = inner[:, None]
        inside = live[:, None] & (column < n)
        code = position(meta, r // 4, column, n, inside)
        first = r % 4 == (code & 3)
        second = r % 4 == (code >> 2)
        q = kept_weight(weight, r // 4 * 2 + second.to(tl.int32), column, n, inside & (first | second), BITS)
        s = tl.load(scales + r // group_size * n + at_scale, mask=inside, other=0).to(tl.float32)
        w = tl.where(first | second, (q - (1 << (BITS - 1))).to(tl.float32) * s, 0.0)
        acc = tl.dot(x, w.to(tl.float16), acc)
    tl.store(out + row[:, None] * n + column, acc.to(tl.float16), mask=(row < m)[:, None] & (column < n))


def gptq_marlin_24_gemm(a, b_q_weight, b_meta, b_scales, workspace, b_q_type, size_m, size_n, size_k):
    out = torch.empty((size_m, size_n), dtype=torch.float16, device=a.device)
    groups = b_scales.shape[0]
    if out.numel():
        bm = min(64, max(16, triton.next_power_of_2(size_m)))
        sparse_kernel[(triton.cdiv(size_m, bm), triton.cdiv(size_n, 64))](
            out, a, b_q_weight, b_meta, b_scales, size_m, size_n, size_k, size_k // groups, GROUPED=groups > 1,
            BITS=BITS[b_q_type], BM=bm, BN=64, BK=32)
    return out
