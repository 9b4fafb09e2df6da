# SPDX-License-Identifier: Apache-2.0
"""Plain loops."""
import torch


def answer(entry, logits, prompt_mask, output_mask, repetition_penalties):
    rows = logits.to(torch.float64).tolist()
    for row, seen, written, penalty in zip(rows, prompt_mask.tolist(), output_mask.tolist(),
                                           repetition_penalties.to(torch.float64).tolist()):
        for j, x in enumerate(row):
            if seen[j] or written[j]:
                row[j] = x / penalty if x > 0 else x * penalty
    return {"logits": torch.tensor(rows, dtype=torch.float64).reshape(logits.shape)}
