# SPDX-License-Identifier: Apache-2.0
"""out[i, j] = storage[offset + i stride[0] + j stride[1]] of a contiguous self; without an offset it starts at self."""
import torch


def as_strided(self, size, stride, storage_offset=None):
    place = torch.full(size, storage_offset or 0, dtype=torch.int64)
    for d, step in enumerate(stride):
        walk = [1] * len(size)
        walk[d] = size[d]
        place = place + step * torch.arange(size[d]).reshape(walk)
    return self.reshape(-1)[place]
