# SPDX-License-Identifier: Apache-2.0
"""SciPy right of zero; left of it the recurrence psi_n(x) = psi_n(x + 1) - (-1)^n n! / x^(n + 1), step by step."""
import math

import numpy as np
import scipy.special

from independent import array, tensor


def answer(entry, n, self, out=None):
    x = array(self).astype(np.float64)
    result = np.array([one(n, float(v)) for v in x.reshape(-1)]).reshape(x.shape)
    return {"return" if out is None else "out": tensor(result)}


def one(n, x):
    if x != x or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == 0:
        return math.copysign(math.inf, -x) if n == 0 else math.inf if n % 2 else -math.inf
    taken = []
    while x < 0:
        taken.append(-((-1.0) ** n) * math.factorial(n) / x ** (n + 1) if n else -1 / x)
        x += 1
    right = math.inf if x == math.inf else float(scipy.special.polygamma(n, x) if n else scipy.special.digamma(x))
    return math.fsum(taken + [right]) if math.isfinite(right) and all(map(math.isfinite, taken)) else right + sum(taken)
