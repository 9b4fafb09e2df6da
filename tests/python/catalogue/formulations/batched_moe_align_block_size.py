# SPDX-License-Identifier: Apache-2.0
"""Block after block."""
import torch


def answer(entry, max_tokens_per_batch, block_size, expert_num_tokens, sorted_ids, expert_ids, num_tokens_post_pad):
    pad = len(expert_num_tokens) * max_tokens_per_batch
    order, blocks = [], []
    for e, n in enumerate(expert_num_tokens.tolist()):
        for first in range(0, n, block_size):
            blocks.append(e)
            order += [e * max_tokens_per_batch + i if i < n else pad for i in range(first, first + block_size)]
    total = len(order)
    order += [pad] * (len(sorted_ids) - total)
    blocks += [-1] * (len(expert_ids) - len(blocks))
    return {"sorted_ids": torch.tensor(order), "expert_ids": torch.tensor(blocks),
            "num_tokens_post_pad": torch.tensor([total])}
