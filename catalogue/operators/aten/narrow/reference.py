# SPDX-License-Identifier: Apache-2.0
"""Slices start .. start + length - 1 along dim; a negative start counts from the end."""
import torch


def narrow(self, dim, start, length):
    first = start if start >= 0 else start + self.shape[dim]
    return self.index_select(dim, torch.arange(first, first + length))
