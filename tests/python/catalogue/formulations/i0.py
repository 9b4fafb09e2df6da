# SPDX-License-Identifier: Apache-2.0
"""The mean of e^(x cos t) over the circle, by the trapezoidal rule, which converges faster than any power."""
import numpy as np

from independent import array, tensor


def answer(entry, self, out=None):
    return {"return" if out is None else "out": tensor(np.vectorize(circle_mean, otypes=[np.float64])(array(self)) if self.numel() else array(self))}


COSINES = np.cos(np.pi * (np.arange(400) + 0.5) / 400)


def circle_mean(x):
    if not np.isfinite(x) or abs(x) > 720:
        return abs(x) * np.inf if x == x else x
    x = abs(x)
    return float(np.exp(x / 2) * np.mean(np.exp(x * COSINES - x)) * np.exp(x / 2))
