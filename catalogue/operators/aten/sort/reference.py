# SPDX-License-Identifier: Apache-2.0
"""Sorted values and where they came from: NaN is the largest, equal elements keep their order where asked to."""
import numpy as np
import torch

from kgbench.oracle import Expected


def ordered(self, dim, descending):
    x = self.reshape(1) if self.dim() == 0 else self
    a = np.moveaxis(x.contiguous().numpy(), dim, -1)
    if a.dtype == np.bool_:
        a = a.astype(np.int64)
    nan = np.isnan(a) if a.dtype.kind == "f" else np.zeros(a.shape, dtype=bool)
    key = np.where(nan, 0, a)
    if descending:
        key = -key if a.dtype.kind == "f" else ~key
    # lexsort is stable; its last key counts first: NaN after everything, or before.
    place = np.lexsort((key, ~nan if descending else nan), axis=-1)
    place = torch.from_numpy(np.ascontiguousarray(np.moveaxis(place, -1, dim)))
    return torch.gather(x, dim, place).reshape(self.shape), place.reshape(self.shape)


def free(indices, self, dim):
    """Without stability equal elements may come in any order."""
    return Expected(indices, rule="ties", source=self, dim=dim)


def sort(self, dim=-1, descending=False):
    values, indices = ordered(self, dim, descending)
    return values, free(indices, self, dim)


def sort_stable(self, *, stable, dim=-1, descending=False):
    values, indices = ordered(self, dim, descending)
    return values, indices if stable else free(indices, self, dim)


def sort_values(self, dim=-1, descending=False, *, values, indices):
    sorted_values, places = sort(self, dim, descending)
    return {"values": sorted_values, "indices": places}


def sort_values_stable(self, *, stable, dim=-1, descending=False, values, indices):
    sorted_values, places = sort_stable(self, stable=stable, dim=dim, descending=descending)
    return {"values": sorted_values, "indices": places}
