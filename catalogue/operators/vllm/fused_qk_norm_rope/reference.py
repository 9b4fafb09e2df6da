# SPDX-License-Identifier: Apache-2.0
"""Each query and key head over its root mean square, times its weight, turned by the angles of the token's position."""
import torch

from kgbench.oracle import Expected


def fused_qk_norm_rope(qkv, num_heads_q, num_heads_k, num_heads_v, head_dim, eps, q_weight, k_weight, cos_sin_cache,
                       is_neox, position_ids):
    heads = qkv.clone().reshape(qkv.shape[0], -1, head_dim)
    turned = num_heads_q + num_heads_k
    x = heads[:, :turned]
    weight = torch.cat([q_weight.expand(num_heads_q, -1), k_weight.expand(num_heads_k, -1)])
    y = x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * weight
    half = head_dim // 2
    cos, sin = cos_sin_cache[position_ids][:, None, :half], cos_sin_cache[position_ids][:, None, half:]
    first = slice(0, half) if is_neox else slice(0, head_dim, 2)
    second = slice(half, head_dim) if is_neox else slice(1, head_dim, 2)
    a, b = y[..., first], y[..., second]
    size = abs(heads)
    heads[:, :turned, first], heads[:, :turned, second] = a * cos - b * sin, b * cos + a * sin
    size[:, :turned, first] = abs(a * cos) + abs(b * sin)
    size[:, :turned, second] = abs(b * cos) + abs(a * sin)
    return {"qkv": Expected(heads.reshape(qkv.shape), magnitude=size.reshape(qkv.shape))}
