# SPDX-License-Identifier: Apache-2.0
"""arange by walking: the numbers are counted up one after the other, as fractions."""
from fractions import Fraction

import torch


def answer(entry, end, start=0, step=1, dtype=None, out=None):
    kind = out.dtype if out is not None else dtype
    whole = all(isinstance(v, int) for v in (start, end, step)) and not (kind and kind.is_floating_point)
    numbers, at = [], Fraction(start)
    while (at < end) if step > 0 else (at > end):
        numbers.append(at)
        at += Fraction(step)
    values = torch.tensor([int(v) for v in numbers], dtype=torch.int64) if whole else \
        torch.tensor([float(v) for v in numbers], dtype=torch.float64)
    return {"return" if out is None else "out": values}
