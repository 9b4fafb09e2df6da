# SPDX-License-Identifier: Apache-2.0
"""Rows of the weight by index; padding_idx, scale_grad_by_freq and sparse only matter for the gradient."""
import torch


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    rows = [weight[int(i)] for i in indices.reshape(-1)] if indices.numel() < 4096 else weight[indices.reshape(-1).long()]
    rows = torch.stack(rows) if isinstance(rows, list) and rows else rows if len(rows) else weight[:0]
    return rows.reshape(*indices.shape, weight.shape[1])


def embedding_out(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False, *, out):
    return {"out": embedding(weight, indices)}
