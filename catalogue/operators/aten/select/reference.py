# SPDX-License-Identifier: Apache-2.0
"""Slice `index` along dim; negative ones count from the end."""


def select_int(self, dim, index):
    place = index if index >= 0 else index + self.shape[dim]
    return self.movedim(dim, 0)[place]
