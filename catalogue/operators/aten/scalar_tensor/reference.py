# SPDX-License-Identifier: Apache-2.0
"""The number, rounded to the asked type; f32 unless one is asked for."""
import torch

from kgbench.oracle import Expected, round_to


def scalar_tensor(s, *, dtype=None):
    kind = dtype or torch.float32
    if kind.is_floating_point:
        return Expected(round_to(torch.tensor(float(s), dtype=torch.float64), kind), dtype=kind)
    return Expected(torch.tensor(s != 0 if kind == torch.bool else int(s), dtype=kind), dtype=kind)


def scalar_tensor_out(s, *, out, dtypes):
    return {"out": scalar_tensor(s, dtype=dtypes["out"])}
