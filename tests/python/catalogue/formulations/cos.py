# SPDX-License-Identifier: Apache-2.0
"""Cosine by the C library, one element at a time."""
import math

import numpy as np

from independent import array, tensor


def answer(entry, self, out=None):
    return {"return" if out is None else "out": tensor(np.vectorize(lambda x: math.cos(x) if math.isfinite(x) else math.nan, otypes=[np.float64])(array(self)) if self.numel() else array(self))}
