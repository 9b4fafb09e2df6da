# SPDX-License-Identifier: Apache-2.0
"""The honest twin: the same work without the trick."""
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(out, x, n, ACC: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * n
    total = tl.zeros([512], ACC)
    for first in range(0, n, 512):
        i = first + tl.arange(0, 512)
        total += tl.load(x + start + i, mask=i < n, other=0).to(out.dtype.element_ty).to(ACC)
    tl.store(out + tl.program_id(0), (tl.sum(total, 0)).to(out.dtype.element_ty))


def run(self, dim, keepdim, dtype):
    dims = sorted(d % max(self.dim(), 1) for d in (range(self.dim()) if dim is None else dim))
    kept = [d for d in range(self.dim()) if d not in dims]
    x = self.permute(kept + dims).contiguous() if self.dim() else self
    rows = 1
    for d in kept:
        rows *= self.shape[d]
    n = 1
    for d in dims:
        n *= self.shape[d]
    dtype = dtype or (self.dtype if self.dtype.is_floating_point else torch.int64)
    out = torch.empty([1 if d in dims else s for d, s in enumerate(self.shape) if keepdim or d in kept], dtype=dtype,
                      device=self.device)
    acc = tl.int64 if dtype == torch.int64 else tl.float64 if torch.float64 in (self.dtype, dtype) else tl.float32
    if rows:
        sum_kernel[(rows,)](out, x, n, ACC=acc)
    return out


def sum(self, *, dtype=None):
    return run(self, None, False, dtype)


def sum_dim_IntList(self, dim, keepdim=False, *, dtype=None):
    return run(self, dim, keepdim, dtype)


def sum_IntList_out(self, dim, keepdim=False, *, dtype=None, out):
    return out.copy_(run(self, dim, keepdim, dtype))
