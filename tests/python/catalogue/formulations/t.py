# SPDX-License-Identifier: Apache-2.0
"""t by loops."""
import torch


def answer(entry, self):
    x = self.to(torch.float64) if self.is_floating_point() else self
    if x.dim() < 2:
        return {"return": x.clone()}
    rows = [[x[i, j].item() for i in range(x.shape[0])] for j in range(x.shape[1])]
    return {"return": torch.tensor(rows, dtype=x.dtype).reshape(x.shape[1], x.shape[0])}
