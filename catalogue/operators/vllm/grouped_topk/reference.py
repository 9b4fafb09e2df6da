# SPDX-License-Identifier: Apache-2.0
"""Groups by their two best biased scores, then experts of the best groups; weights are scores without bias."""
import torch

from kgbench.oracle import Expected, round_to


def best(values, count):
    """Indices of the `count` largest, ties to the lower index."""
    return torch.sort(values, dim=-1, descending=True, stable=True).indices[..., :count]


def grouped_topk(scores, num_expert_group, topk_group, topk, renormalize, routed_scaling_factor, bias, scoring_func=0,
                 *, dtypes):
    kind = dtypes["scores"]
    score = round_to(torch.sigmoid(scores), kind) if scoring_func == 1 else scores
    choice = round_to(score + bias, kind)
    tokens, experts = choice.shape
    grouped = choice.reshape(tokens, num_expert_group, -1)
    of_group = round_to(grouped.sort(-1).values[..., -2:].sum(-1), kind)
    allowed = torch.zeros_like(of_group, dtype=torch.bool).scatter(1, best(of_group, topk_group), True)
    ids = best(torch.where(allowed[..., None], grouped, -torch.inf).reshape(tokens, experts), topk)
    weights = torch.gather(score, 1, ids)
    if renormalize:
        weights = weights / (1e-20 + weights.sum(1, keepdim=True))
    return Expected(weights * routed_scaling_factor, dtype=torch.float32), Expected(ids, dtype=torch.int32)
