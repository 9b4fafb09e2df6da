# SPDX-License-Identifier: Apache-2.0
"""self > other; false where either is NaN."""


def gt_Tensor(self, other):
    return self > other


def gt_Scalar(self, other):
    return gt_Tensor(self, other)


def gt_Tensor_out(self, other, *, out):
    return {"out": gt_Tensor(self, other)}


def gt_Scalar_out(self, other, *, out):
    return {"out": gt_Tensor(self, other)}
