# SPDX-License-Identifier: Apache-2.0
"""The number, in self's type, everywhere; written to self."""
import torch

from kgbench.oracle import round_to


def fill__Scalar(self, value, *, dtypes):
    if self.is_floating_point():
        return {"self": round_to(torch.full(self.shape, float(value), dtype=torch.float64), dtypes["self"])}
    whole = value != 0 if self.dtype == torch.bool else int(value)
    return {"self": torch.full(self.shape, whole, dtype=self.dtype)}


def fill__Tensor(self, value, *, dtypes):
    return fill__Scalar(self, value.item(), dtypes=dtypes)
