# SPDX-License-Identifier: Apache-2.0
"""Each multiple by itself."""
import torch


def answer(entry, scales):
    found = []
    for s in scales.to(torch.float64).flatten().tolist():
        found += [max(-448.0, min(448.0, -k * s)) for k in range(8, 0, -1)]
    return {"return": torch.tensor(found, dtype=torch.float64)}
