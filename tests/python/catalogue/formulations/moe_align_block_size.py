# SPDX-License-Identifier: Apache-2.0
"""A list for each expert, then the lists one after the other."""
import torch


def answer(entry, topk_ids, num_experts, block_size, sorted_token_ids, experts_ids, num_tokens_post_pad, expert_map):
    own, flat = [[] for _ in range(num_experts)], topk_ids.flatten().tolist()
    for i, expert in enumerate(flat):
        local = expert if expert_map is None else int(expert_map[expert])
        if local >= 0:
            own[local].append(i)
    order, blocks = [], []
    for expert, tokens in enumerate(own):
        tokens += [len(flat)] * (-len(tokens) % block_size)
        order += tokens
        blocks += [expert] * (len(tokens) // block_size)
    total = len(order)
    order += [len(flat)] * (sorted_token_ids.numel() - total)
    blocks += [0] * (experts_ids.numel() - len(blocks))
    return {"sorted_token_ids": torch.tensor(order), "experts_ids": torch.tensor(blocks),
            "num_tokens_post_pad": torch.tensor([total])}
