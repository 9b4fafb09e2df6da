# SPDX-License-Identifier: Apache-2.0
"""The first of the sorted elements; NaN where there is any."""
import torch


def amin(self, dim=(), keepdim=False):
    rank = self.dim()
    reduced = sorted({d % max(rank, 1) for d in dim}) if len(dim) else list(range(rank))
    reduced = [d for d in reduced if d < rank]
    kept = [d for d in range(rank) if d not in reduced]
    sizes = [self.shape[d] for d in kept]
    rows = self.permute(kept + reduced).reshape(*sizes, -1) if self.numel() else self.new_zeros([*sizes, 1])
    ordered = rows.to(torch.int64) if rows.dtype == torch.bool else rows
    least = torch.sort(ordered, -1).values[..., 0].to(self.dtype)
    if self.is_floating_point():
        least = torch.where(torch.isnan(rows).any(-1), torch.full_like(least, torch.nan), least)
    return least.reshape([1 if d in reduced else self.shape[d] for d in range(rank)]) if keepdim else least


def amin_out(self, dim=(), keepdim=False, *, out):
    return {"out": amin(self, dim, keepdim)}
