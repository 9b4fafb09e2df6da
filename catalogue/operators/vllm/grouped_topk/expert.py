# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::grouped_topk: a program routes one token; its scores are a tile of groups by members."""
import torch
import triton
import triton.language as tl


@triton.jit
def topk_kernel(weights, ids, scores, bias, groups, size, chosen_groups, topk, factor: "fp32", row_stride, step,
                SIGMOID: tl.constexpr, RENORMALIZE: tl.constexpr, GROUPS: tl.constexpr, SIZE: tl.constexpr,
                K: tl.constexpr):
    token = tl.program_id(0).to(tl.int64)
    group = tl.arange(0, GROUPS)
    member = tl.arange(0, SIZE)[None, :]
    expert = group[:, None] * size + member
    real = (group < groups)[:, None] & (member < size)
    loaded = tl.load(scores + token * row_stride + expert * step, mask=real, other=0)
    kind = loaded.dtype
    score = loaded.to(tl.float32)
    if SIGMOID:
        score = (1.0 / (1.0 + tl.exp(-score))).to(kind).to(tl.float32)
    choice = (score + tl.load(bias + expert, mask=real, other=0).to(tl.float32)).to(kind).to(tl.float32)
    choice = tl.where(real, choice, float("-inf"))

    # A group counts for its two best members.
    first = tl.max(choice, 1)
    place = tl.min(tl.where(choice == first[:, None], member, SIZE), 1)
    second = tl.max(tl.where(member == place[:, None], float("-inf"), choice), 1)
    of_group = tl.where(group < groups, (first + second).to(kind).to(tl.float32), float("-inf"))
    allowed = group < 0
    for _ in range(chosen_groups):
        left = tl.where(allowed, float("-inf"), of_group)
        winner = tl.min(tl.where(left == tl.max(left, 0), group, GROUPS), 0)  # ties: the lower group
        allowed |= group == winner
    choice = tl.where(allowed[:, None], choice, float("-inf"))

    slot = tl.arange(0, K)
    weight = tl.zeros([K], tl.float32)
    index = tl.zeros([K], tl.int32)
    for j in range(topk):
        hit = choice == tl.max(choice)
        winner = tl.min(tl.where(hit, expert, GROUPS * SIZE + groups * size))  # ties: the lower expert
        weight = tl.where(slot == j, tl.sum(tl.where(real & (expert == winner), score, 0.0)), weight)
        index = tl.where(slot == j, winner, index)
        choice = tl.where(expert == winner, float("-inf"), choice)
    if RENORMALIZE:
        weight = weight / (tl.sum(weight, 0) + 1e-20)
    tl.store(weights + token * topk + slot, weight * factor, mask=slot < topk)
    tl.store(ids + token * topk + slot, index, mask=slot < topk)


def grouped_topk(scores, num_expert_group, topk_group, topk, renormalize, routed_scaling_factor, bias, scoring_func=0):
    tokens, experts = scores.shape
    weights = torch.empty((tokens, topk), dtype=torch.float32, device=scores.device)
    ids = torch.empty((tokens, topk), dtype=torch.int32, device=scores.device)
    size = experts // num_expert_group
    topk_kernel[(tokens,)](
        weights, ids, scores, bias, num_expert_group, size, topk_group, topk, routed_scaling_factor, *scores.stride(),
        SIGMOID=scoring_func == 1, RENORMALIZE=renormalize, GROUPS=triton.next_power_of_2(num_expert_group),
        SIZE=triton.next_power_of_2(size), K=triton.next_power_of_2(topk))
    return weights, ids
