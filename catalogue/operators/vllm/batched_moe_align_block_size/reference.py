# SPDX-License-Identifier: Apache-2.0
"""Expert e's rows are e * max .. padded with experts * max to whole blocks; blocks left over have expert -1."""
import torch


def batched_moe_align_block_size(max_tokens_per_batch, block_size, expert_num_tokens, sorted_ids, expert_ids,
                                 num_tokens_post_pad):
    experts = expert_num_tokens.numel()
    order, blocks = torch.full_like(sorted_ids, experts * max_tokens_per_batch), torch.full_like(expert_ids, -1)
    at = 0
    for e, n in enumerate(expert_num_tokens.tolist()):
        order[at : at + n] = e * max_tokens_per_batch + torch.arange(n)
        end = at + -(-n // block_size) * block_size
        blocks[at // block_size : end // block_size] = e
        at = end
    return {"sorted_ids": order, "expert_ids": blocks, "num_tokens_post_pad": torch.tensor([at])}
