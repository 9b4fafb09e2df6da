# SPDX-License-Identifier: Apache-2.0
"""Sum over some or all dimensions: exact integers modulo 2^64, floats in fp64."""
import torch

from kgbench.oracle import Expected, round_to

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def sum_dim_IntList(self, dim, keepdim=False, *, dtype=None):
    dims = tuple(range(self.dim())) if dim is None or len(dim) == 0 else tuple(dim)
    x = self
    if dtype in FLOATS:
        x = round_to(x.to(torch.float64), dtype)
    if not x.is_floating_point():
        return total(x.to(torch.int64), dims, keepdim)
    return Expected(total(x, dims, keepdim), magnitude=total(abs(x), dims, keepdim), dtype=dtype)


def total(x, dims, keepdim):
    for d in sorted((d % max(x.dim(), 1) for d in dims), reverse=True):
        x = x.sum(d, keepdim=keepdim) if x.dim() else x
    return x


def sum(self, *, dtype=None):
    return sum_dim_IntList(self, None, dtype=dtype)


def sum_IntList_out(self, dim, keepdim=False, *, dtype=None, out):
    return {"out": sum_dim_IntList(self, dim, keepdim, dtype=dtype)}
