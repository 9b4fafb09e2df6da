# SPDX-License-Identifier: Apache-2.0
"""self + alpha * other; integers wrap in their type."""
from kgbench.oracle import Expected, round_to


def add_Tensor(self, other, *, alpha=1, dtypes):
    value = self + alpha * other
    if not value.is_floating_point():
        return round_to(value, dtypes["self"])
    return Expected(value, magnitude=abs(self) + abs(alpha * other))


def add_Scalar(self, other, alpha=1, *, dtypes):
    return add_Tensor(self, other, alpha=alpha, dtypes=dtypes)


def add_out(self, other, *, alpha=1, out, dtypes):
    return {"out": add_Tensor(self, other, alpha=alpha, dtypes=dtypes)}
