# SPDX-License-Identifier: Apache-2.0
"""Dropout whose mask is remade from a seed."""
import torch
import triton
import triton.language as tl


@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    keep = tl.rand(seed, offsets) > p
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=inside)


def dropout(x, p, seed):
    out = torch.empty_like(x)
    assert x.is_contiguous()
    dropout_kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel(), p, seed, BLOCK=1024)
    return out


x = torch.randn(size=(100_000,), device="cuda")
one, again, other = dropout(x, 0.5, 123), dropout(x, 0.5, 123), dropout(x, 0.5, 512)
assert torch.equal(one, again) and not torch.equal(one, other)
kept = (one != 0).float().mean().item()
assert abs(kept - 0.5) < 0.01, kept
assert torch.equal(one[one != 0], 2 * x[one != 0])
print("ok")
