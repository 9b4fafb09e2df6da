# SPDX-License-Identifier: Apache-2.0
"""value where mask, else self; written to self."""
import torch

from kgbench.oracle import round_to


def masked_fill__Scalar(self, mask, value, *, dtypes):
    fill = torch.tensor(value, dtype=self.dtype)
    if self.is_floating_point():
        fill = round_to(fill, dtypes["self"])
    return {"self": torch.where(mask, fill, self)}


def masked_fill__Tensor(self, mask, value, *, dtypes):
    return masked_fill__Scalar(self, mask, value.item(), dtypes=dtypes)
