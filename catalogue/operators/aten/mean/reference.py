# SPDX-License-Identifier: Apache-2.0
"""Mean over some or all dimensions: the sum over the number of elements, NaN where there are none."""
import torch

from kgbench.oracle import Expected, round_to


def mean_dim(self, dim, keepdim=False, *, dtype=None):
    x = self.to(torch.float64)
    if dtype is not None:
        x = round_to(x, dtype)
    rank = max(x.dim(), 1)
    dims = set(range(x.dim())) if dim is None or len(dim) == 0 else {d % rank for d in dim}
    value, magnitude, count = x, abs(x), 1
    for d in sorted(dims, reverse=True):
        if x.dim():
            count *= x.shape[d]
            value, magnitude = value.sum(d, keepdim=keepdim), magnitude.sum(d, keepdim=keepdim)
    divisor = torch.tensor(float(count), dtype=torch.float64)
    return Expected(value / divisor, magnitude=magnitude / divisor, dtype=dtype)


def mean(self, *, dtype=None):
    return mean_dim(self, None, dtype=dtype)


def mean_out(self, dim, keepdim=False, *, dtype=None, out):
    return {"out": mean_dim(self, dim, keepdim, dtype=dtype)}
