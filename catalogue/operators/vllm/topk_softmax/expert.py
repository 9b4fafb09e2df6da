# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::topk_softmax: softmax over the experts, then k times the largest is taken."""
import triton
import triton.language as tl


@triton.jit
def topk_softmax_kernel(weights, ids, source, gating, tokens, experts, weights_row, weights_step, ids_row, ids_step,
                        source_row, source_step, gating_row, gating_step, RENORMALIZE: tl.constexpr, K: tl.constexpr,
                        K_SIZE: tl.constexpr, ROWS: tl.constexpr, EXPERTS: tl.constexpr):
    token = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    expert = tl.arange(0, EXPERTS)[None, :]
    real = expert < experts
    live = (token < tokens)[:, None]
    logit = tl.load(gating + token[:, None] * gating_row + expert * gating_step, mask=live & real, other=0)
    logit = tl.where(real, logit.to(tl.float32), float("-inf"))
    probability = tl.exp(logit - tl.max(logit, 1)[:, None])
    probability = probability / tl.sum(probability, 1)[:, None]
    left = tl.where(real, probability, -1.0)  # -1: taken, or no expert at all

    slot = tl.arange(0, K_SIZE)[None, :]
    weight = tl.zeros([ROWS, K_SIZE], tl.float32)
    chosen = tl.zeros([ROWS, K_SIZE], tl.int32)
    for j in range(K):
        best = tl.max(left, 1)
        first = tl.min(tl.where(left == best[:, None], expert, EXPERTS), 1)  # ties: the lower expert
        weight = tl.where(slot == j, best[:, None], weight)
        chosen = tl.where(slot == j, first[:, None], chosen)
        left = tl.where(expert == first[:, None], -1.0, left)
    if RENORMALIZE:
        total = tl.sum(weight, 1)
        weight = weight / tl.where(total > 0, total, 1.0)[:, None]
    inside = live & (slot < K)
    row = token[:, None]
    tl.store(weights + row * weights_row + slot * weights_step, weight, mask=inside)
    tl.store(ids + row * ids_row + slot * ids_step, chosen.to(ids.dtype.element_ty), mask=inside)
    # Where the token's j-th choice stands when all first choices come first, then all second ones, ...
    tl.store(source + row * source_row + slot * source_step, (slot * tokens + row).to(tl.int32), mask=inside)


def topk_softmax(topk_weights, topk_ids, token_expert_indices, gating_output, renormalize=False):
    tokens, experts = gating_output.shape
    k = topk_weights.shape[1]
    if tokens == 0 or k == 0:
        return
    size = triton.next_power_of_2(experts)
    rows = max(1, min(triton.next_power_of_2(tokens), 512 // size))
    topk_softmax_kernel[(triton.cdiv(tokens, rows),)](
        topk_weights, topk_ids, token_expert_indices, gating_output, tokens, experts, *topk_weights.stride(),
        *topk_ids.stride(), *token_expert_indices.stride(), *gating_output.stride(), RENORMALIZE=renormalize, K=k,
        K_SIZE=triton.next_power_of_2(k), ROWS=rows, EXPERTS=size)
