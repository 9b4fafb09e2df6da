# SPDX-License-Identifier: Apache-2.0
"""Lower ends of the slopes and products, element by element."""
import torch


def answer(entry, self, noise, lower=0.125, upper=1 / 3, training=False, generator=None, out=None):
    slopes, results = [], []
    for x, old in zip(self.to(torch.float64).flatten().tolist(), noise.to(torch.float64).flatten().tolist()):
        slope = lower if x <= 0 else 1.0
        slopes.append(slope if training else old)
        results.append(x * slope if training else x * ((lower + upper) / 2) if x <= 0 else x)
    shaped = lambda values: torch.tensor(values, dtype=torch.float64).reshape(self.shape)
    return {"out" if entry.endswith("out") else "return": shaped(results), "noise": shaped(slopes)}
