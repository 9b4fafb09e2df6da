# SPDX-License-Identifier: Apache-2.0
"""The same elements in row-major order under another shape; one size may be -1."""


def reshape(self, shape):
    known = 1
    for n in shape:
        known *= n if n != -1 else 1
    sizes = [self.numel() // max(known, 1) if n == -1 else n for n in shape]
    return self.contiguous().view(sizes)
