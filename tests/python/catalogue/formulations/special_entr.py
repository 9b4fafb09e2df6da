# SPDX-License-Identifier: Apache-2.0
"""SciPy's entr."""
import numpy as np
import scipy.special

from independent import array, tensor


def answer(entry, self, out=None):
    return {"return" if out is None else "out": tensor(scipy.special.entr(array(self).astype(np.float64)))}
