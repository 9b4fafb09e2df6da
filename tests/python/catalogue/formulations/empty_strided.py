# SPDX-License-Identifier: Apache-2.0
"""empty_strided has no values: the shape alone, in zeros."""
import numpy as np
import torch


def answer(entry, size, stride, dtype=None, out=None):
    return {"return" if out is None else "out": torch.from_numpy(np.zeros(tuple(size)))}
