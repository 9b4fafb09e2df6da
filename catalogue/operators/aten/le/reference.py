# SPDX-License-Identifier: Apache-2.0
"""self <= other; false where either is NaN."""


def le_Tensor(self, other):
    return self <= other


def le_Scalar(self, other):
    return le_Tensor(self, other)


def le_Tensor_out(self, other, *, out):
    return {"out": le_Tensor(self, other)}


def le_Scalar_out(self, other, *, out):
    return {"out": le_Tensor(self, other)}
