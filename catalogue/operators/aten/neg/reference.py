# SPDX-License-Identifier: Apache-2.0
"""x with the other sign; integers wrap in their type."""


def neg(self):
    return self * -1


def neg_out(self, *, out):
    return {"out": neg(self)}
