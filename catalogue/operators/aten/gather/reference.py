# SPDX-License-Identifier: Apache-2.0
"""out[i][j][k] = self[index[i][j][k]][j][k] for dim 0, and so on; sparse_grad only matters for the gradient."""
import torch


def gather(self, dim, index, *, sparse_grad=False):
    x = self if self.dim() else self.reshape(1)
    where = index if index.dim() else index.reshape(1)
    coordinates = list(torch.meshgrid(*[torch.arange(n) for n in where.shape], indexing="ij"))
    coordinates[dim] = where.to(torch.int64)
    return x[tuple(coordinates)].reshape(index.shape)


def gather_out(self, dim, index, *, sparse_grad=False, out):
    return {"out": gather(self, dim, index)}
