# SPDX-License-Identifier: Apache-2.0
"""aten::narrow: a view that starts later and is shorter."""


def narrow(self, dim, start, length):
    shape, step = list(self.shape), self.stride(dim)
    first = start + shape[dim] if start < 0 else start
    shape[dim] = length
    return self.as_strided(shape, self.stride(), self.storage_offset() + first * step)
