# SPDX-License-Identifier: Apache-2.0
"""self <= other in their common type; false where either is NaN."""
import torch

from kgbench.oracle import round_to


def le_Tensor(self, other, *, dtypes):
    common = torch.result_type(*[torch.empty(v.shape, dtype=dtypes[k]) for k, v in (("self", self), ("other", other))])
    return round_to(self, common) <= round_to(other, common)


def le_Scalar(self, other):
    return self <= other


def le_Tensor_out(self, other, *, out, dtypes):
    return {"out": le_Tensor(self, other, dtypes=dtypes)}


def le_Scalar_out(self, other, *, out):
    return {"out": le_Scalar(self, other)}
