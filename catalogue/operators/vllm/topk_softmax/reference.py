# SPDX-License-Identifier: Apache-2.0
"""The k largest softmax weights of each token in descending order, with their experts; ties go to the lower expert."""
import torch

from kgbench.oracle import Expected

# A subnormal exponential may be flushed to zero: 2^-126 in units of f32's roundoff 2^-24.
FLUSHED = 2.0**-102


def topk_softmax(topk_weights, topk_ids, token_expert_indices, gating_output, renormalize=False):
    tokens, k = topk_weights.shape
    distance = gating_output - gating_output.amax(1, keepdim=True)
    probability = torch.exp(distance) / torch.exp(distance).sum(1, keepdim=True)
    magnitude = probability * (3 - distance)
    left = gating_output.clone()  # the order of the logits is the order of the weights
    ids = torch.zeros((tokens, k), dtype=torch.int64)
    for j in range(k):
        best = left.amax(1, keepdim=True)
        position = torch.arange(left.shape[1]).expand(left.shape)
        ids[:, j] = torch.where(left == best, position, left.shape[1]).amin(1)
        left[torch.arange(tokens), ids[:, j]] = -torch.inf
    weights, magnitude = torch.gather(probability, 1, ids), torch.gather(magnitude, 1, ids)
    if renormalize:
        total = weights.sum(1, keepdim=True)
        # The quotient errs by the errors of the weight and of every weight in the sum.
        magnitude = magnitude / total + weights / total * (magnitude.sum(1, keepdim=True) / total)
        weights = weights / total
    source = torch.arange(k)[None, :] * tokens + torch.arange(tokens)[:, None]
    return {
        "topk_weights": Expected(weights, magnitude=magnitude + FLUSHED),
        "topk_ids": ids,
        "token_expert_indices": source,
    }
