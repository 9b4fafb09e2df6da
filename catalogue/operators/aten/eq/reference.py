# SPDX-License-Identifier: Apache-2.0
"""self == other; false where either is NaN."""


def eq_Tensor(self, other):
    return self == other


def eq_Scalar(self, other):
    return eq_Tensor(self, other)


def eq_Tensor_out(self, other, *, out):
    return {"out": eq_Tensor(self, other)}


def eq_Scalar_out(self, other, *, out):
    return {"out": eq_Tensor(self, other)}
