# SPDX-License-Identifier: Apache-2.0
"""aten::select: a view that starts at the slice and leaves its dimension out."""


def select_int(self, dim, index):
    shape, strides = list(self.shape), list(self.stride())
    size, step = shape.pop(dim), strides.pop(dim)
    return self.as_strided(shape, strides, self.storage_offset() + index % size * step)
