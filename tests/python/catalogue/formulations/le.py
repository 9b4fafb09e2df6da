# SPDX-License-Identifier: Apache-2.0
"""By the other comparisons, in NumPy."""
import numpy as np
import torch

from independent import array, tensor


def answer(entry, self, other, out=None):
    a, b = array(self), array(other) if isinstance(other, torch.Tensor) else np.asarray(other)
    if a.dtype.kind != b.dtype.kind and "b" not in (a.dtype.kind, b.dtype.kind):
        a, b = a.astype(np.float64), b.astype(np.float64)
    a, b = np.broadcast_arrays(a, b)
    return {"return" if out is None else "out": tensor((b > a) | (b == a))}
