# SPDX-License-Identifier: Apache-2.0
"""The number everywhere, in the asked type or the one that torch infers from it."""
import torch

from kgbench.oracle import Expected, round_to


def full(size, fill_value, *, dtype=None):
    kind = dtype or (torch.bool if isinstance(fill_value, bool) else torch.int64 if isinstance(fill_value, int)
                     else torch.float32)
    if kind.is_floating_point:
        return Expected(round_to(torch.full(size, float(fill_value), dtype=torch.float64), kind), dtype=kind)
    number = fill_value != 0 if kind == torch.bool else int(fill_value)
    return Expected(torch.full(size, number, dtype=kind), dtype=kind)


def full_out(size, fill_value, *, out, dtypes):
    return {"out": full(size, fill_value, dtype=dtypes["out"])}
