# SPDX-License-Identifier: Apache-2.0
"""Slice index[i] of self becomes slice i of the output."""
import torch


def index_select(self, dim, index):
    places = index.reshape(-1).tolist()
    slices = [self.select(dim, place) for place in places]
    if not slices:
        shape = list(self.shape)
        shape[dim] = 0
        return self.new_zeros(shape)
    return torch.stack(slices, dim if dim >= 0 else dim + self.dim())


def index_select_out(self, dim, index, *, out):
    return {"out": index_select(self, dim, index)}
