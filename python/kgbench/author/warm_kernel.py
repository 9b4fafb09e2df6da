# SPDX-License-Identifier: Apache-2.0
"""A kernel that uses much of Triton's front end once, compiled by the zygote before it forks."""

import triton
import triton.language as tl


@triton.jit
def touch(x, y, n, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = rows < n
    v = tl.load(x + rows, mask=mask, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, axis=0))
    total = tl.sum(v, axis=0)
    for _ in range(0, tl.cdiv(n, BLOCK)):
        total += tl.where(total > 0, 0.0, 1.0)
    block = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    block = tl.dot(block, block, acc=block, input_precision="ieee")
    tl.store(y + rows, v / total + tl.sum(block, axis=1), mask=mask)
