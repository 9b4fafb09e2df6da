# SPDX-License-Identifier: Apache-2.0
"""zeros by NumPy."""
import numpy as np
import torch


def answer(entry, size, dtype=None, out=None):
    path = "return" if out is None else "out"
    whole = out is not None and not out.is_floating_point()
    return {path: torch.from_numpy(np.zeros(tuple(size), np.int64 if whole else np.float64))}
