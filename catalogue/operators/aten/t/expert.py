# SPDX-License-Identifier: Apache-2.0
"""aten::t: a view with the two strides exchanged."""


def t(self):
    if self.dim() < 2:
        return self.view(self.shape)
    (rows, columns), (down, across) = self.shape, self.stride()
    return self.as_strided((columns, rows), (across, down))
