# SPDX-License-Identifier: Apache-2.0
"""out[i..., j...] = self[indices[0][i...], indices[1][i...], ..., j...]; negative indices count from the end. A dimension
without an index (None) is kept whole; the indices' dimensions stand in place of the indexed ones where those are
neighbours, else in front. A mask stands for the coordinates of its true elements, one index tensor a dimension."""
import torch


def _is_mask(index):
    return index is not None and index.dtype == torch.bool


def index_Tensor(self, indices):
    indices = [place for index in indices for place in (index.nonzero(as_tuple=True) if _is_mask(index) else [index])]
    named = [d for d, index in enumerate(indices) if index is not None]
    self = self.movedim(named, list(range(len(named))))
    places = torch.broadcast_tensors(*[indices[d] for d in named])
    count, lead = len(places), places[0].dim()
    inner = self.shape[count:]
    row = torch.zeros(places[0].shape, dtype=torch.int64)
    for size, place in zip(self.shape, places):
        row = row * size + torch.where(place < 0, place + size, place)
    rows = self.reshape(-1, *inner) if self.numel() else self.new_zeros((1, *inner))
    out = rows.index_select(0, row.reshape(-1)).reshape(*row.shape, *inner)
    neighbours = named == list(range(named[0], named[0] + count))
    return out.movedim(list(range(lead)), [named[0] + d for d in range(lead)]) if neighbours else out


def index_Tensor_out(self, indices, *, out):
    return {"out": index_Tensor(self, indices)}
