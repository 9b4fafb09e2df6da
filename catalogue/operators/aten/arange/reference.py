# SPDX-License-Identifier: Apache-2.0
"""start + i * step while that lies before the end; integers stay integers."""
import math
from fractions import Fraction

import torch

from kgbench.oracle import Expected


def arange_start_step(start, end, step=1, *, dtype=None):
    whole = all(isinstance(v, int) for v in (start, end, step))
    kind = dtype or (torch.int64 if whole else torch.float32)
    count = math.ceil((Fraction(end) - Fraction(start)) / Fraction(step)) if whole else \
        math.ceil((end - start) / step)  # torch counts in fp64
    place = torch.arange(max(count, 0))
    if not kind.is_floating_point:
        return Expected(start + place * step, dtype=kind)
    value = start + place.to(torch.float64) * step
    return Expected(value, magnitude=abs(start) + abs(place * step), dtype=kind)


def arange(end, *, dtype=None):
    return arange_start_step(0, end, 1, dtype=dtype)


def arange_start(start, end, *, dtype=None):
    return arange_start_step(start, end, 1, dtype=dtype)


def arange_start_out(start, end, step=1, *, out, dtypes):
    return {"out": arange_start_step(start, end, step, dtype=dtypes["out"])}


def arange_out(end, *, out, dtypes):
    return {"out": arange_start_step(0, end, 1, dtype=dtypes["out"])}
