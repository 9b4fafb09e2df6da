# SPDX-License-Identifier: Apache-2.0
"""out[i..., j...] = self[indices[0][i...], indices[1][i...], ..., j...]; negative indices count from the end."""
import torch


def index_Tensor(self, indices):
    places = torch.broadcast_tensors(*indices)
    count = len(places)
    inner = self.shape[count:]
    row = torch.zeros(places[0].shape, dtype=torch.int64)
    for size, place in zip(self.shape, places):
        row = row * size + torch.where(place < 0, place + size, place)
    rows = self.reshape(-1, *inner) if self.numel() else self.new_zeros((1, *inner))
    return rows.index_select(0, row.reshape(-1)).reshape(*row.shape, *inner)


def index_Tensor_out(self, indices, *, out):
    return {"out": index_Tensor(self, indices)}
