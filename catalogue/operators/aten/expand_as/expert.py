# SPDX-License-Identifier: Apache-2.0
"""aten::expand_as: a view whose repeated dimensions have stride 0."""


def expand_as(self, other):
    lead = other.dim() - self.dim()
    shape, strides = [1] * lead + list(self.shape), [0] * lead + list(self.stride())
    for d, wanted in enumerate(other.shape):
        if d < lead or (shape[d] == 1 and wanted != 1):
            shape[d], strides[d] = wanted, 0
    for d in range(lead - 1, -1, -1):  # a new dimension of size 1 has the stride of the block behind it
        if shape[d] == 1:
            strides[d] = shape[d + 1] * strides[d + 1] if d + 1 < len(shape) else 1
    return self.as_strided(shape, strides)
