# SPDX-License-Identifier: Apache-2.0
"""out[i, j] = self[j, i]."""


def t(self):
    return self if self.dim() < 2 else self.permute(1, 0)
