# SPDX-License-Identifier: Apache-2.0
"""self * other; integers wrap in their type."""
from kgbench.oracle import round_to


def mul_Tensor(self, other, *, dtypes):
    value = self * other
    return value if value.is_floating_point() else round_to(value, dtypes["self"])


def mul_Scalar(self, other, *, dtypes):
    return mul_Tensor(self, other, dtypes=dtypes)


def mul_out(self, other, *, out, dtypes):
    return {"out": mul_Tensor(self, other, dtypes=dtypes)}
