# SPDX-License-Identifier: Apache-2.0
"""Rows of the weight by index; padding_idx, scale_grad_by_freq and sparse only matter for the gradient."""
import torch


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    rows = torch.empty((indices.numel(), weight.shape[1]), dtype=weight.dtype)
    for place, row in enumerate(indices.reshape(-1).tolist()):
        rows[place] = weight[row]
    return rows.reshape(*indices.shape, weight.shape[1])


def embedding_out(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False, *, out):
    return {"out": embedding(weight, indices)}
