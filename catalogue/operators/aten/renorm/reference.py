# SPDX-License-Identifier: Apache-2.0
"""self times maxnorm / (norm + 1e-7) in the slices along dim whose norm is above maxnorm."""
import torch


def renorm(self, p, dim, maxnorm):
    others = [d for d in range(self.dim()) if d != dim % self.dim()]
    norm = (abs(self) ** p).sum(others, keepdim=True) ** (1 / p)
    factor = torch.where(norm > maxnorm, maxnorm / (norm + 1e-7), 1.0)
    return self * factor


def renorm_out(self, p, dim, maxnorm, *, out):
    return {"out": renorm(self, p, dim, maxnorm)}
