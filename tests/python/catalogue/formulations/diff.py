# SPDX-License-Identifier: Apache-2.0
"""diff by NumPy: joined, then differences of differences."""
import numpy as np
import torch


def answer(entry, self, n=1, dim=-1, prepend=None, append=None, out=None):
    array = lambda t: (t.to(torch.float64) if t.is_floating_point() else t).numpy()
    x = np.concatenate([array(t) for t in (prepend, self, append) if t is not None], axis=dim)
    with np.errstate(all="ignore"):
        y = np.diff(x, n=n, axis=dim)
    return {"return" if out is None else "out": torch.from_numpy(np.array(y, order="C"))}
