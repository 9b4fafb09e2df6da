# SPDX-License-Identifier: Apache-2.0
"""Token by token with sorted lists."""
import math

import torch


def answer(entry, scores, num_expert_group, topk_group, topk, renormalize, routed_scaling_factor, bias, scoring_func):
    kind = scores.dtype
    rounded = lambda x: float(torch.tensor(x, dtype=torch.float64).to(kind))
    offsets, size = bias.tolist(), scores.shape[1] // num_expert_group
    weights, ids = [], []
    for row in scores.tolist():
        s = [rounded(1 / (1 + math.exp(-v))) if scoring_func else v for v in row]
        c = [rounded(a + b) for a, b in zip(s, offsets)]
        groups = [sorted(c[g * size : (g + 1) * size])[-2:] for g in range(num_expert_group)]
        ranked = sorted(range(num_expert_group), key=lambda g: (-rounded(sum(groups[g])), g))[:topk_group]
        members = [e for e in range(len(c)) if e // size in ranked]
        chosen = sorted(members, key=lambda e: (-c[e], e))[:topk]
        total = 1e-20 + math.fsum(s[e] for e in chosen) if renormalize else 1
        ids.append(chosen)
        weights.append([s[e] / total * routed_scaling_factor for e in chosen])
    return {"return[0]": torch.tensor(weights, dtype=torch.float64), "return[1]": torch.tensor(ids)}
