# SPDX-License-Identifier: Apache-2.0
"""self * other; integers wrap in the promoted type."""


def mul_Tensor(self, other):
    return self * other


def mul_Scalar(self, other):
    return self * other


def mul_out(self, other, *, out):
    return {"out": self * other}
