# SPDX-License-Identifier: Apache-2.0
"""unsafe_split by NumPy's split at multiples of the size."""
import numpy as np
import torch


def answer(entry, self, split_size, dim=0, out=None):
    x = (self.to(torch.float64) if self.is_floating_point() else self).numpy()
    cuts = list(range(split_size, x.shape[dim], split_size)) if split_size else []
    return {f"{'out' if entry.endswith('out') else 'return'}[{i}]": torch.from_numpy(part.copy())
            for i, part in enumerate(np.split(x, cuts, axis=dim))}
