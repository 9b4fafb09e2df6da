# SPDX-License-Identifier: Apache-2.0
"""Part i holds the next sizes[i] slices of self along dim."""


def unsafe_split_Tensor(self, split_size, dim=0):
    n = self.shape[dim]
    sizes = [min(split_size, n - start) for start in range(0, n, split_size)] if n else [0]
    parts, start = [], 0
    for size in sizes:
        parts.append(self.narrow(dim, start, size).clone())
        start += size
    return parts


def unsafe_split_Tensor_out(self, split_size, dim=0, *, out):
    return {"out": unsafe_split_Tensor(self, split_size, dim)}
