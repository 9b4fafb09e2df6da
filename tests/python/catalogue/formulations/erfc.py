# SPDX-License-Identifier: Apache-2.0
"""erfc through SciPy's scaled function erfcx(x) = e^(x^2) erfc(x)."""
import numpy as np
import scipy.special

from independent import array, tensor


def answer(entry, self, out=None):
    return {"return" if out is None else "out": tensor(by_scaled(array(self)))}


def by_scaled(x):
    x = np.asarray(x, np.float64)
    with np.errstate(all="ignore"):
        right = scipy.special.erfcx(abs(x)) * np.exp(-x * x)
    right = np.where(np.isinf(x), 0.0, right)
    return np.where(x < 0, 2 - right, right)
