# SPDX-License-Identifier: Apache-2.0
"""Batched scaling over an array of pointers that the caller made, and one that host code makes."""
import torch
import triton
import triton.language as tl


@triton.jit
def scale_batched(array, outs, n, B: tl.constexpr):
    b = tl.program_id(0)
    src = tl.load(array + b).to(tl.pointer_type(tl.float32))
    dst = tl.load(outs + b).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, B)
    tl.store(dst + i, tl.load(src + i, mask=i < n) * 2, mask=i < n)


def scale(A, n):
    outs = [torch.empty(n, device="cuda") for _ in range(A.numel())]
    table = torch.tensor([o.data_ptr() for o in outs], dtype=torch.int64, device="cuda")
    scale_batched[(A.numel(),)](A, table, n, B=triton.next_power_of_2(n))
    return outs
