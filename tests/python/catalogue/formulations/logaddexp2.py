# SPDX-License-Identifier: Apache-2.0
"""NumPy's logaddexp2."""
import numpy as np

from independent import array, tensor


def answer(entry, self, other, out=None):
    with np.errstate(all="ignore"):
        return {"return" if out is None else "out": tensor(np.logaddexp2(array(self), array(other)))}
