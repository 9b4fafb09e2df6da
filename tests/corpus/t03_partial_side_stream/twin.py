# SPDX-License-Identifier: Apache-2.0
"""The honest twin: the caller's stream waits for the other."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out, x, n, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * n + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < n
    row = tl.load(x + at, mask=inside, other=float("-inf")).to(out.dtype.element_ty).to(COMPUTE)
    weight = tl.exp(row - tl.max(row, 0))
    tl.store(out + at, (weight / tl.sum(weight, 0)).to(out.dtype.element_ty), mask=inside)


side = torch.cuda.Stream()


def run(self, dim, dtype):
    x = (self if self.dim() else self.view(1)).movedim(dim, -1).contiguous()
    out = torch.empty(x.shape, dtype=dtype or self.dtype, device=self.device)
    n = x.shape[-1]
    if x.numel():
        rows, here = x.numel() // n, torch.cuda.current_stream()
        share = (rows + 3) // 4
        settings = {"COMPUTE": tl.float64 if out.dtype == torch.float64 else tl.float32,
                    "BLOCK": triton.next_power_of_2(n)}
        side.wait_stream(here)
        with torch.cuda.stream(side):
            softmax_kernel[(share,)](out.view(-1)[(rows - share) * n:], x.view(-1)[(rows - share) * n:], n, **settings)
        if rows > share:
            softmax_kernel[(rows - share,)](out, x, n, **settings)
        here.wait_stream(side)
    return out.movedim(-1, dim).view(self.shape) if self.dim() == 0 else out.movedim(-1, dim)


def softmax(self, dim, dtype=None):
    return run(self, dim, dtype)


def softmax_out(self, dim, dtype=None, *, out):
    return out.copy_(run(self, dim, dtype))
