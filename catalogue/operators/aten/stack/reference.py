# SPDX-License-Identifier: Apache-2.0
"""Tensor i is slice i of the new dimension."""
import torch


def stack(tensors, dim=0):
    first = tensors[0]
    at = dim if dim >= 0 else dim + first.dim() + 1
    out = torch.empty([*first.shape[:at], len(tensors), *first.shape[at:]], dtype=first.dtype)
    for i, tensor in enumerate(tensors):
        out.select(at, i)[...] = tensor
    return out


def stack_out(tensors, dim=0, *, out):
    return {"out": stack(tensors, dim)}
