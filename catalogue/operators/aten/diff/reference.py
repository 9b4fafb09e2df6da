# SPDX-License-Identifier: Apache-2.0
"""out[i] = sum over t of (-1)^(n-t) binomial(n, t) x[i + t], where x is prepend, self and append in a row."""
import math

import torch

from kgbench.oracle import Expected, round_to


def diff(self, n=1, dim=-1, prepend=None, append=None, *, dtypes):
    x = torch.cat([t for t in (prepend, self, append) if t is not None], dim)
    if x.dtype == torch.bool:
        x = x.to(torch.int64)
    length = max(x.shape[dim] - n, 0)
    value = magnitude = torch.zeros_like(x.narrow(dim, 0, length))
    for t in range(n + 1 if length else 0):
        term = math.comb(n, t) * x.narrow(dim, t, length)
        value = value + term if (n - t) % 2 == 0 else value - term
        magnitude = magnitude + abs(term)
    if self.dtype == torch.bool:
        return value % 2 == 1
    if not self.is_floating_point():
        return round_to(value, dtypes["self"])
    return Expected(value, magnitude=magnitude)


def diff_out(self, n=1, dim=-1, prepend=None, append=None, *, out, dtypes):
    return {"out": diff(self, n, dim, prepend, append, dtypes=dtypes)}
