# SPDX-License-Identifier: Apache-2.0
"""The same elements in row-major order."""


def contiguous(self):
    return self.clone()
