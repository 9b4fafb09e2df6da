# SPDX-License-Identifier: Apache-2.0
"""Flat indices by expert, segments padded with numel to whole blocks; the expert of each block; the total."""
import torch

from kgbench.oracle import Expected


def moe_align_block_size(topk_ids, num_experts, block_size, sorted_token_ids, experts_ids, num_tokens_post_pad,
                         expert_map=None):
    ids = topk_ids.reshape(-1).to(int)
    if expert_map is not None:
        ids = expert_map[ids].to(int)  # -1: not on this rank
    n = ids.numel()
    order, blocks = torch.full_like(sorted_token_ids, n), torch.zeros_like(experts_ids)
    at, most, padded = 0, 0, sorted_token_ids.numel() != n
    for expert in range(num_experts):
        own = (ids == expert).nonzero().flatten()
        order[at : at + own.numel()] = own.to(order.dtype)
        end = at + -(-own.numel() // block_size) * block_size
        blocks[at // block_size : end // block_size] = expert
        most, padded, at = max(most, own.numel()), padded or end != at + own.numel(), end
    if most <= 1:
        tokens = Expected(order)
    elif padded:
        tokens = Expected(order, rule="unordered", dim=0)
    else:  # every place must address a token of the segment's expert
        tokens = Expected(order, rule="ties", source=ids.to(torch.float64), dim=0)
    return {"sorted_token_ids": tokens, "experts_ids": blocks, "num_tokens_post_pad": torch.tensor([at])}
