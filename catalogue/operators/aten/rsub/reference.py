# SPDX-License-Identifier: Apache-2.0
"""other - alpha * self; integers wrap in their type."""
import torch

from kgbench.oracle import Expected, round_to


def rsub_Tensor(self, other, *, alpha=1, dtypes):
    value = other - alpha * self
    if not value.is_floating_point():
        return round_to(value, dtypes["self"])
    return Expected(value, magnitude=abs(torch.as_tensor(other)) + abs(alpha * self))


def rsub_Scalar(self, other, alpha=1, *, dtypes):
    return rsub_Tensor(self, other, alpha=alpha, dtypes=dtypes)


def rsub_Tensor_out(self, other, *, alpha=1, out, dtypes):
    return {"out": rsub_Tensor(self, other, alpha=alpha, dtypes=dtypes)}


def rsub_Scalar_out(self, other, alpha=1, *, out, dtypes):
    return {"out": rsub_Tensor(self, other, alpha=alpha, dtypes=dtypes)}
