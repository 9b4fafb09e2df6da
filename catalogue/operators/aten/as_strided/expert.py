# SPDX-License-Identifier: Apache-2.0
"""aten::as_strided: the view itself."""
import torch

def as_strided(self, size, stride, storage_offset=None):
    return torch.as_strided(self, size, stride, storage_offset)
