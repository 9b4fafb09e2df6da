# SPDX-License-Identifier: Apache-2.0
"""Rows copied one by one."""
import torch


def answer(entry, input_tensor, dst2src_map):
    rows = [input_tensor[i].to(torch.float64) for i in dst2src_map.tolist()]
    return {"return": torch.stack(rows) if rows else torch.zeros((0, input_tensor.shape[1]), dtype=torch.float64)}
