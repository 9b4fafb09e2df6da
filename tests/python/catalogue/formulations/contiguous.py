# SPDX-License-Identifier: Apache-2.0
"""contiguous by NumPy."""
import numpy as np
import torch


def answer(entry, self):
    x = self.to(torch.float64) if self.is_floating_point() else self
    return {"return": torch.from_numpy(np.ascontiguousarray(x.numpy()))}
