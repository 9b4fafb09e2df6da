# SPDX-License-Identifier: Apache-2.0
"""self - alpha * other; integers wrap in their type."""
from kgbench.oracle import Expected, round_to


def sub_Tensor(self, other, *, alpha=1, dtypes):
    value = self - alpha * other
    if not value.is_floating_point():
        return round_to(value, dtypes["self"])
    return Expected(value, magnitude=abs(self) + abs(alpha * other))


def sub_Scalar(self, other, alpha=1, *, dtypes):
    return sub_Tensor(self, other, alpha=alpha, dtypes=dtypes)


def sub_out(self, other, *, alpha=1, out, dtypes):
    return {"out": sub_Tensor(self, other, alpha=alpha, dtypes=dtypes)}


def sub_Scalar_out(self, other, alpha=1, *, out, dtypes):
    return {"out": sub_Tensor(self, other, alpha=alpha, dtypes=dtypes)}
