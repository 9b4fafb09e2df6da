# SPDX-License-Identifier: Apache-2.0
"""The C library's pow and Python's whole numbers, one element at a time."""
import math

import numpy as np
import torch

from independent import array, tensor


def answer(entry, self, exponent, out=None):
    sides = [array(v) if isinstance(v, torch.Tensor) else np.asarray(v) for v in (self, exponent)]
    x, y = np.broadcast_arrays(*sides)
    whole = all(v.dtype.kind in "iu" for v in sides)
    result = np.empty(x.shape, sides[0].dtype if whole else np.float64)
    for i in np.ndindex(x.shape):
        result[i] = wrapped(int(x[i]), int(y[i]), result.dtype) if whole else real(float(x[i]), float(y[i]))
    return {"return" if out is None else "out": tensor(result)}


def wrapped(x, y, dtype):
    power = x**y if y >= 0 else {1: 1, -1: -1 if y % 2 else 1}.get(x, 0)
    bits = 8 * dtype.itemsize
    power %= 2**bits
    return power - 2**bits if dtype.kind == "i" and power >= 2 ** (bits - 1) else power


def real(x, y):
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:  # 0 to a negative power, or a negative number to a broken one
        if x != 0:
            return math.nan
        return math.copysign(math.inf, x) if y % 2 == 1 else math.inf
