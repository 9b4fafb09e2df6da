# SPDX-License-Identifier: Apache-2.0
"""Many products of unequal shapes in one launch, their matrices reached through arrays of addresses."""
import torch
import triton
import triton.language as tl


@triton.jit
def grouped_kernel(a_ptrs, b_ptrs, c_ptrs, sizes, count, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                   BK: tl.constexpr):
    tile = tl.program_id(0)
    end = 0
    for g in range(count):
        m = tl.load(sizes + g * 3)
        n = tl.load(sizes + g * 3 + 1)
        k = tl.load(sizes + g * 3 + 2)
        tiles_n = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * tiles_n
        while tile >= end and tile < end + tiles:
            a_ptr = tl.load(a_ptrs + g).to(tl.pointer_type(tl.float16))
            b_ptr = tl.load(b_ptrs + g).to(tl.pointer_type(tl.float16))
            c_ptr = tl.load(c_ptrs + g).to(tl.pointer_type(tl.float16))
            rows = (tile - end) // tiles_n * BM + tl.arange(0, BM)
            columns = (tile - end) % tiles_n * BN + tl.arange(0, BN)
            acc = tl.zeros((BM, BN), dtype=tl.float32)
            for start in range(0, k, BK):
                inner = start + tl.arange(0, BK)
                a = tl.load(a_ptr + rows[:, None] * k + inner[None, :],
                            mask=(rows[:, None] < m) & (inner[None, :] < k), other=0.0)
                b = tl.load(b_ptr + inner[:, None] * n + columns[None, :],
                            mask=(inner[:, None] < k) & (columns[None, :] < n), other=0.0)
                acc += tl.dot(a, b)
            tl.store(c_ptr + rows[:, None] * n + columns[None, :], acc.to(tl.float16),
                     mask=(rows[:, None] < m) & (columns[None, :] < n))
            tile += PROGRAMS
        end += tiles


shapes = [(64, 96, 32), (33, 50, 70), (128, 16, 48)]
a = [torch.rand(m, k, device="cuda", dtype=torch.float16) for m, n, k in shapes]
b = [torch.rand(k, n, device="cuda", dtype=torch.float16) for m, n, k in shapes]
c = [torch.empty(m, n, device="cuda", dtype=torch.float16) for m, n, k in shapes]
addresses = [torch.tensor([t.data_ptr() for t in group], device="cuda") for group in (a, b, c)]
sizes = torch.tensor(shapes, dtype=torch.int32, device="cuda")
grouped_kernel[(4,)](*addresses, sizes, len(shapes), PROGRAMS=4, BM=32, BN=32, BK=32)
for left, right, product in zip(a, b, c):
    torch.testing.assert_close(product, left @ right, atol=5e-2, rtol=5e-3)
print("ok")
