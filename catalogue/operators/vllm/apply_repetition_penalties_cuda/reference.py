# SPDX-License-Identifier: Apache-2.0
"""Where either mask says so, positive logits are divided by their row's penalty and the others multiplied by it."""
import torch


def apply_repetition_penalties_cuda(logits, prompt_mask, output_mask, repetition_penalties):
    penalty = repetition_penalties[:, None]
    penalised = torch.where(logits > 0, logits / penalty, logits * penalty)
    return {"logits": torch.where(prompt_mask | output_mask, penalised, logits)}
