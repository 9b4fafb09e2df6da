# SPDX-License-Identifier: Apache-2.0
"""Adds with atomics, so that the order of additions is open."""
import torch
import triton
import triton.language as tl


@triton.jit
def sum_kernel(total, x, n, ASKED: tl.constexpr, ACC: tl.constexpr):
    i = tl.program_id(1) * 512 + tl.arange(0, 512)
    part = tl.load(x + tl.program_id(0).to(tl.int64) * n + i, mask=i < n, other=0).to(ASKED).to(ACC)
    tl.atomic_add(total + tl.program_id(0), tl.sum(part, 0))


@triton.jit
def finish_kernel(out, total):
    tl.store(out + tl.program_id(0), tl.load(total + tl.program_id(0)).to(out.dtype.element_ty))


TYPES = {torch.float16: tl.float16, torch.bfloat16: tl.bfloat16, torch.float32: tl.float32, torch.float64: tl.float64,
         torch.int64: tl.int64, torch.int32: tl.int32}


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
        kind = {tl.int64: torch.int64, tl.float64: torch.float64, tl.float32: torch.float32}[acc]
        total = torch.zeros(rows, dtype=kind, device=self.device)
        if n:
            sum_kernel[(rows, triton.cdiv(n, 512))](total, x, n, ASKED=TYPES[dtype], ACC=acc)
        finish_kernel[(rows,)](out, total)
    return out


def sum(self, *, dtype=None):
    return run(self, None, False, dtype)


def sum_dim_IntList(self, dim, keepdim=False, *, dtype=None):
    return run(self, dim, keepdim, dtype)


def sum_IntList_out(self, dim, keepdim=False, *, dtype=None, out):
    return out.copy_(run(self, dim, keepdim, dtype))
