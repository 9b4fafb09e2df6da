# SPDX-License-Identifier: Apache-2.0
"""self + alpha * other, written to self."""
from kgbench.oracle import Expected


def add__Tensor(self, other, *, alpha=1):
    value = self + alpha * other
    if not self.is_floating_point():
        return {"self": value.to(self.dtype)}
    return {"self": Expected(value, magnitude=abs(self) + abs(alpha * other))}


def add__Scalar(self, other, alpha=1):
    value = self + alpha * other
    if not self.is_floating_point():
        return {"self": value.to(self.dtype)}
    return {"self": Expected(value, magnitude=abs(self) + abs(alpha * other))}
