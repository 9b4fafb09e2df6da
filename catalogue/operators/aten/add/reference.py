# SPDX-License-Identifier: Apache-2.0
"""self + alpha * other, exact for integers."""
from kgbench.oracle import Expected


def add_Tensor(self, other, *, alpha=1):
    value = self + alpha * other
    if not value.is_floating_point():
        return value
    return Expected(value, magnitude=abs(self) + abs(alpha * other))


def add_Scalar(self, other, alpha=1):
    value = self + alpha * other
    if not value.is_floating_point():
        return value
    return Expected(value, magnitude=abs(self) + abs(alpha * other))


def add_out(self, other, *, alpha=1, out):
    return {"out": add_Tensor(self, other, alpha=alpha)}
