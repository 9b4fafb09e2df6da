# SPDX-License-Identifier: Apache-2.0
"""A product with the permutation's matrix would mix in NaN: columns are copied one by one."""
import torch


def answer(entry, a, perm):
    found = torch.zeros(a.shape, dtype=torch.float64)
    for k, source in enumerate(perm.tolist()):
        found[:, k] = a[:, source]
    return {"return": found}
