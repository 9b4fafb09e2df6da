# SPDX-License-Identifier: Apache-2.0
"""Index of the first largest element; NaN counts as largest."""
import torch


def argmax(self, dim=None, keepdim=False):
    rank = self.dim()
    x = self.reshape(-1) if dim is None or rank == 0 else self.movedim(dim, -1)
    if x.dtype == torch.bool:
        x = x.to(torch.int64)
    n = x.shape[-1]
    if x.numel() == 0:
        first = torch.zeros(x.shape[:-1], dtype=torch.int64)
    else:
        nan = torch.isnan(x) if x.is_floating_point() else torch.zeros_like(x, dtype=torch.bool)
        top = x.amax(-1, keepdim=True)
        largest = torch.where(nan.any(-1, keepdim=True), nan, x == top)
        position = torch.arange(n).expand(x.shape)
        first = torch.where(largest, position, n).amin(-1)
    if not keepdim:
        return first
    return first.reshape([1] * rank) if dim is None or rank == 0 else first.unsqueeze(dim)


def argmax_out(self, dim=None, keepdim=False, *, out):
    return {"out": argmax(self, dim, keepdim)}
