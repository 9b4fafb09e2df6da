# SPDX-License-Identifier: Apache-2.0
"""Part i holds the next sizes[i] slices of self along dim."""


def unsafe_split_with_sizes(self, split_sizes, dim=0):
    sizes = split_sizes
    parts, start = [], 0
    for size in sizes:
        parts.append(self.narrow(dim, start, size).clone())
        start += size
    return parts


def unsafe_split_with_sizes_out(self, split_sizes, dim=0, *, out):
    return {"out": unsafe_split_with_sizes(self, split_sizes, dim)}
