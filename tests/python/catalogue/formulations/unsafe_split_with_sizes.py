# SPDX-License-Identifier: Apache-2.0
"""unsafe_split_with_sizes by NumPy's split at the running sums of the sizes."""
import numpy as np
import torch


def answer(entry, self, split_sizes, dim=0, out=None):
    x = (self.to(torch.float64) if self.is_floating_point() else self).numpy()
    return {f"{'out' if entry.endswith('out') else 'return'}[{i}]": torch.from_numpy(part.copy())
            for i, part in enumerate(np.split(x, np.cumsum(split_sizes)[:-1], axis=dim))}
