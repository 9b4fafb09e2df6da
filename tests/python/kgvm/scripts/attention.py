# SPDX-License-Identifier: Apache-2.0
"""Causal attention with an online softmax; keys and values come through tensor descriptors made on the host."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def attention_kernel(q_ptr, k_desc, v_desc, out_ptr, scale, length, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.arange(0, D)
    base = (head * length + rows[:, None]) * D + columns[None, :]
    inside = rows[:, None] < length
    q = tl.load(q_ptr + base, mask=inside, other=0.0)
    best = tl.full([BM], -float("inf"), dtype=tl.float32)
    weight = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * BM, BN):
        keys = start + tl.arange(0, BN)
        k = k_desc.load([head * length + start, 0])
        scores = tl.dot(q, k.T) * (scale * 1.44269504)
        scores = tl.where((rows[:, None] >= keys[None, :]) & (keys[None, :] < length), scores, -1.0e6)
        new_best = tl.maximum(best, tl.max(scores, 1))
        powers = tl.math.exp2(scores - new_best[:, None])
        shrink = tl.math.exp2(best - new_best)
        weight = weight * shrink + tl.sum(powers, 1)
        v = v_desc.load([head * length + start, 0])
        acc = tl.dot(powers.to(q.dtype), v, acc * shrink[:, None])
        best = new_best
    tl.store(out_ptr + base, (acc / weight[:, None]).to(out_ptr.dtype.element_ty), mask=inside)


def attention(q, k, v, BM=64, BN=32):
    heads, length, D = q.shape
    flat = lambda t: TensorDescriptor.from_tensor(t.view(heads * length, D), [BN, D])
    out = torch.empty_like(q)
    attention_kernel[(triton.cdiv(length, BM), heads)](q, flat(k), flat(v), out, D**-0.5, length, BM, BN, D)
    return out


for dtype, tolerance in ((torch.bfloat16, 2e-2), (torch.float16, 3e-3)):
    q, k, v = (torch.randn(3, 160, 64, device="cuda").to(dtype) for _ in range(3))
    expected = torch.nn.functional.scaled_dot_product_attention(q.float(), k.float(), v.float(), is_causal=True)
    torch.testing.assert_close(attention(q, k, v).float(), expected, atol=tolerance, rtol=tolerance)
print("ok")
