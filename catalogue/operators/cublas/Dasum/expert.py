# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasDasum: partial sums of parts of the vector, added by a second launch."""
import torch
import triton
import triton.language as tl


@triton.jit
def asum_kernel(out, x, n, part, incx, BLOCK: tl.constexpr):
    """out[p] = sum of |x[k]| over the elements k of part p. Element k lies at k * incx."""
    p = tl.program_id(0)
    begin = p.to(tl.int64) * part
    end = min(begin + part, n)
    lane = tl.arange(0, BLOCK).to(tl.int64)
    acc = tl.zeros([BLOCK], tl.float64)
    for start in range(begin, end, BLOCK):
        k = start + lane
        acc += tl.abs(tl.load(x + k * incx, mask=k < end, other=0.0))
    tl.store(out + p, tl.sum(acc, 0))


def dasum(n, x, incx, result):
    block = min(512, triton.next_power_of_2(max(n, 1)))
    parts = max(1, min(1024, n // 16384))
    part = triton.cdiv(triton.cdiv(max(n, 0), parts), block) * block
    if parts == 1:
        asum_kernel[(1,)](result, x, n, part, incx, BLOCK=block)  # of nothing: zero
        return
    partial = torch.empty(parts, dtype=torch.float64, device=x.device)
    asum_kernel[(parts,)](partial, x, n, part, incx, BLOCK=block, num_warps=16)  # a load a thread
    # The partial sums are moduli already: the same kernel adds them.
    asum_kernel[(1,)](result, partial, parts, 1024, 1, BLOCK=triton.next_power_of_2(parts))
