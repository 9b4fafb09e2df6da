# SPDX-License-Identifier: Apache-2.0
"""aten::item: one element copied to the host, which waits for it."""


def item(self):
    return self.reshape(()).tolist()  # of a tensor without dimensions the list is its number
