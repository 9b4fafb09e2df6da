# SPDX-License-Identifier: Apache-2.0
"""For each listed adapter: its tokens' indices by expert in whole blocks, the blocks' experts (else -1), the total."""
import torch

from kgbench.oracle import Expected


def moe_lora_align_block_size(topk_ids, token_lora_mapping, num_experts, block_size, max_loras, max_num_tokens_padded,
                              max_num_m_blocks, sorted_token_ids, experts_ids, num_tokens_post_pad, adapter_enabled,
                              lora_ids, expert_map=None):
    ids = topk_ids.to(int) if expert_map is None else expert_map[topk_ids.to(int)].to(int)
    order, blocks, totals = sorted_token_ids.clone(), experts_ids.clone(), num_tokens_post_pad.clone()
    twice = False
    for lora in lora_ids.tolist()[:max_loras]:
        if lora == -1 or not adapter_enabled[lora]:
            continue
        mine = torch.where((token_lora_mapping == lora)[:, None], ids, -1).flatten()
        own_order = order[lora * max_num_tokens_padded :][:max_num_tokens_padded].fill_(ids.numel())
        own_blocks = blocks[lora * max_num_m_blocks :][:max_num_m_blocks].fill_(-1)
        at = 0
        for expert in range(num_experts):
            own = (mine == expert).nonzero().flatten()
            own_order[at : at + own.numel()] = own.to(order.dtype)
            end = at + -(-own.numel() // block_size) * block_size
            own_blocks[at // block_size : end // block_size] = expert
            twice, at = twice or own.numel() > 1, end
        totals[lora] = at
    tokens = Expected(order, rule="unordered", dim=0) if twice else order
    return {"sorted_token_ids": tokens, "experts_ids": blocks, "num_tokens_post_pad": totals}
