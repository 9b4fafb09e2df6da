# SPDX-License-Identifier: Apache-2.0
"""self[indices] = values, or += with accumulate, every duplicate counted; written to self."""
import torch

from kgbench.oracle import Expected, round_to


def index_put_(self, indices, values, accumulate=False, *, dtypes):
    if indices[0].dtype == torch.bool:  # a mask stands for the indices of its true elements
        indices = list(indices[0].nonzero().unbind(1))
    places = torch.broadcast_tensors(*indices)
    inner = self.shape[len(places):]
    row = torch.zeros(places[0].shape, dtype=torch.int64)
    for size, place in zip(self.shape, places):
        row = row * size + torch.where(place < 0, place + size, place)
    rows = self.reshape(-1, *inner).clone()
    given = values.expand(*row.shape, *inner).reshape(-1, *inner)
    row = row.reshape(-1)
    if not accumulate:
        rows[row] = given
        return {"self": rows.reshape(self.shape)}
    total = rows.index_add(0, row, given).reshape(self.shape)
    if not self.is_floating_point():
        return {"self": round_to(total, dtypes["self"])}
    magnitude = abs(rows).index_add(0, row, abs(given)).reshape(self.shape)
    return {"self": Expected(total, magnitude=magnitude)}
