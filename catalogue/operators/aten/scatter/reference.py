# SPDX-License-Identifier: Apache-2.0
"""out = self; then out[index[i][j][k]][j][k] = src[i][j][k] for dim 0, and so on; or += or *= with reduce."""
import torch

from kgbench.oracle import Expected, round_to


def combine(self, dim, index, src, reduce, dtype):
    """Slice by slice of the index along dim: within one slice no place occurs twice."""
    out = (self if self.dim() else self.reshape(1)).contiguous().clone()
    index = index if index.dim() else index.reshape(1)
    magnitude = abs(out)
    lines = out.movedim(dim, 0), magnitude.movedim(dim, 0)
    sizes = index.movedim(dim, 0).shape[1:]
    others = torch.meshgrid(*[torch.arange(n) for n in sizes], indexing="ij") if sizes else []
    for k in range(index.shape[dim]):
        place = (index.select(dim, k), *others)
        given = src.movedim(dim, 0)[k][tuple(slice(n) for n in place[0].shape)] if torch.is_tensor(src) else \
            torch.full(place[0].shape, src, dtype=out.dtype)
        if reduce is None:
            lines[0][place] = given
            continue
        for line, term in zip(lines, (given, abs(given))):
            line[place] = line[place] + term if reduce == "add" else line[place] * term
    out, magnitude = out.reshape(self.shape), magnitude.reshape(self.shape)
    if reduce is None or not self.is_floating_point():
        return round_to(out, dtype)
    return Expected(out, magnitude=magnitude)


def scatter_src(self, dim, index, src, *, dtypes):
    return combine(self, dim, index, src, None, dtypes["self"])


def scatter_value(self, dim, index, value, *, dtypes):
    return combine(self, dim, index, value, None, dtypes["self"])


def scatter_reduce(self, dim, index, src, *, reduce, dtypes):
    return combine(self, dim, index, src, reduce, dtypes["self"])


def scatter_value_reduce(self, dim, index, value, *, reduce, dtypes):
    return combine(self, dim, index, value, reduce, dtypes["self"])


def scatter_src_out(self, dim, index, src, *, out, dtypes):
    return {"out": combine(self, dim, index, src, None, dtypes["self"])}


def scatter_value_out(self, dim, index, value, *, out, dtypes):
    return {"out": combine(self, dim, index, value, None, dtypes["self"])}


def scatter_reduce_out(self, dim, index, src, *, reduce, out, dtypes):
    return {"out": combine(self, dim, index, src, reduce, dtypes["self"])}


def scatter_value_reduce_out(self, dim, index, value, *, reduce, out, dtypes):
    return {"out": combine(self, dim, index, value, reduce, dtypes["self"])}
