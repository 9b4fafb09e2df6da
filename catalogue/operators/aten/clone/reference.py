# SPDX-License-Identifier: Apache-2.0
"""The same elements."""


def clone(self):
    return self


def clone_out(self, *, out):
    return {"out": self}
