# SPDX-License-Identifier: Apache-2.0
"""The inputs one after the other along a dimension; empty 1-d tensors are skipped."""
import torch


def cat(tensors, dim=0):
    kept = [t for t in tensors if tuple(t.shape) != (0,)] or tensors[:1]
    shape = list(kept[0].shape)
    shape[dim] = sum(t.shape[dim] for t in kept)
    dtype = tensors[0].dtype
    for t in tensors[1:]:
        dtype = torch.promote_types(dtype, t.dtype)
    out = torch.zeros(shape, dtype=dtype)
    start = 0
    for t in kept:
        out.narrow(dim, start, t.shape[dim]).copy_(t)
        start += t.shape[dim]
    return out


def cat_out(tensors, dim=0, *, out):
    return {"out": cat(tensors, dim)}
