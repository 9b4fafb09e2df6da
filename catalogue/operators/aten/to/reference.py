# SPDX-License-Identifier: Apache-2.0
"""self in another type: reals to nearest even, to integers towards zero."""
import torch

from kgbench.oracle import Expected, round_to


def to_dtype(self, dtype, non_blocking=False, copy=False):
    if dtype == torch.bool:
        return Expected(self != 0, dtype=dtype)
    if dtype.is_floating_point:
        return Expected(round_to(self.to(torch.float64), dtype), dtype=dtype)
    return Expected(self.to(torch.int64).to(dtype), dtype=dtype)


def to_other(self, other, non_blocking=False, copy=False, *, dtypes):
    return to_dtype(self, dtypes["other"])
