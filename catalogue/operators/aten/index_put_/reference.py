# SPDX-License-Identifier: Apache-2.0
"""self[indices] = values, or += with accumulate, every duplicate counted; written to self. A dimension without an index
(None) is addressed whole."""
import torch

from kgbench.oracle import Expected, round_to


def index_put_(self, indices, values, accumulate=False, *, dtypes):
    if indices[0] is not None and indices[0].dtype == torch.bool:  # a mask stands for the indices of its true elements
        indices = list(indices[0].nonzero().unbind(1))
    named = [d for d, index in enumerate(indices) if index is not None]
    front = list(range(len(named)))
    places = torch.broadcast_tensors(*[indices[d] for d in named])
    lead = list(range(places[0].dim()))
    if named == list(range(named[0], named[0] + len(named))):  # the indices' dimensions stand in place of the indexed ones
        shape = (*self.shape[:named[0]], *places[0].shape, *self.shape[named[-1] + 1:])
        values = values.expand(shape).movedim([named[0] + d for d in lead], lead)
    self = self.movedim(named, front)
    inner = self.shape[len(places):]
    row = torch.zeros(places[0].shape, dtype=torch.int64)
    for size, place in zip(self.shape, places):
        row = row * size + torch.where(place < 0, place + size, place)
    rows = self.reshape(-1, *inner).clone()
    given = values.expand(*row.shape, *inner).reshape(-1, *inner)
    row = row.reshape(-1)
    if not accumulate:
        rows[row] = given
        return {"self": rows.reshape(self.shape).movedim(front, named)}
    total = rows.index_add(0, row, given).reshape(self.shape).movedim(front, named)
    if not self.is_floating_point():
        return {"self": round_to(total, dtypes["self"])}
    magnitude = abs(rows).index_add(0, row, abs(given)).reshape(self.shape).movedim(front, named)
    return {"self": Expected(total, magnitude=magnitude)}
