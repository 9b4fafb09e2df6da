# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::fused_qk_norm_rope: a program normalises and turns one head of one token."""
import triton
import triton.language as tl


@triton.jit
def norm_rope_kernel(qkv, q_weight, k_weight, cache, positions, heads_q, eps: "fp64", row_stride, cache_row,
                     NEOX: tl.constexpr, HALF: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    i = tl.arange(0, HALF)
    first = i if NEOX else 2 * i  # the two places of a pair within the head
    second = i + HALF if NEOX else 2 * i + 1
    x = qkv + token * row_stride + head * (2 * HALF)
    weight = q_weight if head < heads_q else k_weight
    a = tl.load(x + first).to(tl.float32)
    b = tl.load(x + second).to(tl.float32)
    scale = tl.rsqrt(tl.sum(a * a + b * b, 0) / (2 * HALF) + eps.to(tl.float32))
    a = a * scale * tl.load(weight + first).to(tl.float32)
    b = b * scale * tl.load(weight + second).to(tl.float32)
    at = cache + tl.load(positions + token) * cache_row
    cos = tl.load(at + i).to(tl.float32)
    sin = tl.load(at + HALF + i).to(tl.float32)
    tl.store(x + first, (a * cos - b * sin).to(qkv.dtype.element_ty))
    tl.store(x + second, (b * cos + a * sin).to(qkv.dtype.element_ty))


def fused_qk_norm_rope(qkv, num_heads_q, num_heads_k, num_heads_v, head_dim, eps, q_weight, k_weight, cos_sin_cache,
                       is_neox, position_ids):
    if qkv.shape[0] == 0:
        return
    norm_rope_kernel[(qkv.shape[0], num_heads_q + num_heads_k)](
        qkv, q_weight, k_weight, cos_sin_cache, position_ids, num_heads_q, eps, qkv.stride(0), cos_sin_cache.stride(0),
        NEOX=is_neox, HALF=head_dim // 2)
