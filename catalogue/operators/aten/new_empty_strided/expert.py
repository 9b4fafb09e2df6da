# SPDX-License-Identifier: Apache-2.0
"""aten::new_empty_strided: an allocation."""
import torch

def new_empty_strided(self, size, stride, *, dtype=None):
    return torch.empty_strided(size, stride, dtype=dtype or self.dtype, device=self.device)


def new_empty_strided_out(self, size, stride, *, out):
    return out
