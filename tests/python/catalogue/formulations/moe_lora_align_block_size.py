# SPDX-License-Identifier: Apache-2.0
"""Lists for each adapter and expert, then the lists one after the other."""
import torch


def answer(entry, topk_ids, token_lora_mapping, num_experts, block_size, max_loras, max_num_tokens_padded,
           max_num_m_blocks, sorted_token_ids, experts_ids, num_tokens_post_pad, adapter_enabled, lora_ids, expert_map):
    owner, k, pad = token_lora_mapping.tolist(), topk_ids.shape[1], topk_ids.numel()
    order, blocks, totals = sorted_token_ids.tolist(), experts_ids.tolist(), num_tokens_post_pad.tolist()
    for lora in lora_ids.tolist()[:max_loras]:
        if lora < 0 or adapter_enabled[lora] == 0:
            continue
        own = [[] for _ in range(num_experts)]
        for place, expert in enumerate(topk_ids.flatten().tolist()):
            local = expert if expert_map is None else int(expert_map[expert])
            if owner[place // k] == lora and local >= 0:
                own[local].append(place)
        tokens, experts = [], []
        for expert, mine in enumerate(own):
            mine += [pad] * (-len(mine) % block_size)
            tokens += mine
            experts += [expert] * (len(mine) // block_size)
        totals[lora] = len(tokens)
        tokens += [pad] * (max_num_tokens_padded - len(tokens))
        experts += [-1] * (max_num_m_blocks - len(experts))
        order[lora * max_num_tokens_padded : (lora + 1) * max_num_tokens_padded] = tokens
        blocks[lora * max_num_m_blocks : (lora + 1) * max_num_m_blocks] = experts
    return {"sorted_token_ids": torch.tensor(order), "experts_ids": torch.tensor(blocks),
            "num_tokens_post_pad": torch.tensor(totals)}
