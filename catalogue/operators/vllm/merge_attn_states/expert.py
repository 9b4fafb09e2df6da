# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::merge_attn_states: a program merges one head of one token."""
import triton
import triton.language as tl


@triton.jit
def merge_kernel(out, out_lse, prefix, prefix_lse, suffix, suffix_lse, tokens, size, out_token, out_head, prefix_token,
                 prefix_head, suffix_token, suffix_head, HAS_LSE: tl.constexpr, BLOCK: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    a = tl.load(prefix_lse + head * tokens + token)  # [heads, tokens]
    b = tl.load(suffix_lse + head * tokens + token)
    a = tl.where(a == float("inf"), float("-inf"), a)
    b = tl.where(b == float("inf"), float("-inf"), b)
    top = tl.maximum(a, b)
    none = top == float("-inf")
    weight_a = tl.where(none, 1.0, tl.exp(a - top))  # neither part has a key: the prefix is handed on
    weight_b = tl.where(none, 0.0, tl.exp(b - top))
    total = weight_a + weight_b
    if HAS_LSE:
        tl.store(out_lse + head * tokens + token, tl.where(none, top, tl.log(total) + top))
    i = tl.arange(0, BLOCK)
    inside = i < size
    p = tl.load(prefix + token * prefix_token + head * prefix_head + i, mask=inside, other=0).to(tl.float32)
    s = tl.load(suffix + token * suffix_token + head * suffix_head + i, mask=inside, other=0).to(tl.float32)
    merged = p * (weight_a / total) + s * (weight_b / total)
    tl.store(out + token * out_token + head * out_head + i, merged.to(out.dtype.element_ty), mask=inside)


def merge_attn_states(output, prefix_output, prefix_lse, suffix_output, suffix_lse, output_lse=None):
    tokens, heads, size = output.shape
    if output.numel() == 0:
        return
    merge_kernel[(tokens, heads)](
        output, prefix_lse if output_lse is None else output_lse, prefix_output, prefix_lse, suffix_output, suffix_lse,
        tokens, size, *output.stride()[:2], *prefix_output.stride()[:2], *suffix_output.stride()[:2],
        HAS_LSE=output_lse is not None, BLOCK=triton.next_power_of_2(size))
