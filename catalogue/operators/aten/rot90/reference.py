# SPDX-License-Identifier: Apache-2.0
"""One quarter turn: out[i, j] = self[j, n - 1 - i] in the plane, where n is the size of its second dimension."""
import torch


def rot90(self, k=1, dims=(0, 1)):
    out = self
    for _ in range(k % 4):
        n = out.shape[dims[1]]
        out = out.index_select(dims[1], n - 1 - torch.arange(n)).swapaxes(*dims)
    return out


def rot90_out(self, k=1, dims=(0, 1), *, out):
    return {"out": rot90(self, k, dims)}
