# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::gptq_marlin_gemm: each weight is fetched from its place in Marlin's order."""
import torch
import triton
import triton.language as tl

BITS = {1125899907892224: 4, 1125899923621888: 8}  # uint4b8, uint8b128


@triton.jit
def single_order(column):
    """Where one group's scales, or the bias, keep a column."""
    return 32 * (column // 32) + 8 * (column % 8 // 2) + 2 * (column % 32 // 8) + column % 2


@triton.jit
def marlin_kernel(out, a, weight, bias, scales, perm, m, n, k, group_size, a_row, GROUPED: tl.constexpr,
                  HAS_BIAS: tl.constexpr, HAS_PERM: tl.constexpr, BITS: tl.constexpr, BM: tl.constexpr,
                  BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    real = column < n
    kind = a.dtype.element_ty
    # With several groups 8 x 8 blocks of columns are transposed.
    by_column = 64 * (column // 64) + 8 * (column % 8) + column % 64 // 8 if GROUPED else single_order(column)
    c = column[None, :]
    acc = tl.zeros([BM, BN], tl.float32)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK)
        live = inner < k
        source = tl.load(perm + inner, mask=live, other=0) if HAS_PERM else inner
        x = tl.load(a + row[:, None] * a_row + source[None, :], mask=(row < m)[:, None] & live[None, :], other=0)
        # In a tile of 16 x 64 thread 4 (n % 8) + k % 8 // 2 of warp n % 64 // 16 holds eight weights: rows 0, 1, 8, 9
        # from its first on, of two columns, 8 apart.
        r = inner[:, None]
        tile = r // 16 * (n // 64) + c // 64
        thread = 4 * (c % 8) + r % 8 // 2
        v = r % 2 + 2 * (r % 16 // 8)
        far = c % 16 // 8
        if BITS == 4:
            v = v + 4 * far
            word = tile * 128 + 4 * thread + c % 64 // 16
            field = v % 2 * 4 + v // 2
        else:
            word = tile * 256 + 8 * thread + 2 * (c % 64 // 16) + far
            field = v % 2 * 2 + v // 2
        inside = live[:, None] & real[None, :]
        q = (tl.load(weight + word, mask=inside, other=0) >> (BITS * field)) & ((1 << BITS) - 1)
        at_scale = scales + (r // group_size) * n + by_column[None, :]
        s = tl.load(at_scale, mask=inside, other=0).to(tl.float32)
        acc = tl.dot(x, ((q - (1 << (BITS - 1))).to(tl.float32) * s).to(kind), acc)
    if HAS_BIAS:
        acc += tl.load(bias + single_order(column), mask=real, other=0).to(tl.float32)[None, :]
    tl.store(out + row[:, None] * n + c, acc.to(kind), mask=(row < m)[:, None] & real[None, :])


def gptq_marlin_gemm(a, c, b_q_weight, b_bias, b_scales, a_scales, global_scale, b_zeros, g_idx, perm, workspace,
                     b_q_type, size_m, size_n, size_k, is_k_full=True, use_atomic_add=False, use_fp32_reduce=False,
                     is_zp_float=False):
    if b_q_type not in BITS or not is_k_full:
        raise NotImplementedError("only uint4b8 and uint8b128 with whole groups")
    out = torch.empty((size_m, size_n), dtype=a.dtype, device=a.device) if c is None else c
    groups = b_scales.shape[0]
    permuted = perm is not None and perm.numel() > 0 and g_idx is not None and g_idx.numel() > 0
    if out.numel():
        bm = min(64, max(16, triton.next_power_of_2(size_m)))
        marlin_kernel[(triton.cdiv(size_m, bm), triton.cdiv(size_n, 64))](
            out, a, b_q_weight, out if b_bias is None else b_bias, b_scales, perm if permuted else workspace, size_m,
            size_n, size_k, size_k // groups, a.stride(0), GROUPED=groups > 1, HAS_BIAS=b_bias is not None,
            HAS_PERM=permuted, BITS=BITS[b_q_type], BM=bm, BN=64, BK=32)
    return out
