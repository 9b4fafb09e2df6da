# SPDX-License-Identifier: Apache-2.0
"""The rate is one over the mean that torch documents: lambda exp(-lambda x)."""
import numpy as np
import torch


def answer(entry, self, lambd=1.0, generator=None):
    return {"self": torch.from_numpy(np.asarray(np.reciprocal(np.full(tuple(self.shape), 1 / lambd))))}
