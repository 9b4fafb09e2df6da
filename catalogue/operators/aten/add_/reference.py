# SPDX-License-Identifier: Apache-2.0
"""self + alpha * other, written to self; integers wrap in its type."""
from kgbench.oracle import Expected, round_to


def add__Tensor(self, other, *, alpha=1, dtypes):
    value = self + alpha * other
    if not self.is_floating_point():
        return {"self": round_to(value, dtypes["self"])}
    return {"self": Expected(value, magnitude=abs(self) + abs(alpha * other))}


def add__Scalar(self, other, alpha=1, *, dtypes):
    return add__Tensor(self, other, alpha=alpha, dtypes=dtypes)
