# SPDX-License-Identifier: Apache-2.0
"""The elements repeated along dimensions of size one; -1 keeps a size."""


def expand(self, size, *, implicit=False):
    lead = len(size) - self.dim()
    x = self.reshape([1] * lead + list(self.shape))
    return x.repeat([1 if n in (-1, have) else n for n, have in zip(size, x.shape)])
