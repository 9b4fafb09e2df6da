# SPDX-License-Identifier: Apache-2.0
"""x * x; integers wrap in their type."""


def square(self):
    return self * self


def square_out(self, *, out):
    return {"out": square(self)}
