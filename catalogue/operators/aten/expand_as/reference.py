# SPDX-License-Identifier: Apache-2.0
"""The elements repeated along dimensions of size one until the shape is that of other."""


def expand_as(self, other):
    lead = other.dim() - self.dim()
    x = self.reshape([1] * lead + list(self.shape))
    return x.repeat([1 if n == have else n for n, have in zip(other.shape, x.shape)])
