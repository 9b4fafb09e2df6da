# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasSdot: partial dot products of parts of the vectors, added by a second launch."""
import torch
import triton
import triton.language as tl


@triton.jit
def dot_kernel(out, x, y, n, part, incx, incy, BLOCK: tl.constexpr):
    """out[p] = sum of x[k] y[k] over the elements k of part p. Element k lies at k * inc; inc may be negative."""
    p = tl.program_id(0)
    begin = p.to(tl.int64) * part
    end = min(begin + part, n)
    lane = tl.arange(0, BLOCK).to(tl.int64)
    acc = tl.zeros([BLOCK], tl.float32)
    for start in range(begin, end, BLOCK):
        k = start + lane
        a = tl.load(x + k * incx, mask=k < end, other=0.0)
        b = tl.load(y + k * incy, mask=k < end, other=0.0)
        acc += a * b
    tl.store(out + p, tl.sum(acc, 0))


@triton.jit
def sum_kernel(out, x, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + lane, mask=lane < n, other=0.0), 0))


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 or n <= 0 else x[(n - 1) * -inc :]


def sdot(n, x, incx, y, incy, result):
    x, y = from_first(x, n, incx), from_first(y, n, incy)
    if n <= 4096:  # one program holds it all; of nothing: zero
        block = triton.next_power_of_2(max(n, 1))
        dot_kernel[(1,)](result, x, y, n, block, incx, incy, BLOCK=block, num_warps=8 if n > 512 else 4)
        return
    parts = min(256, triton.cdiv(n, 1024))
    part = triton.cdiv(n, parts * 1024) * 1024
    partial = torch.empty(parts, dtype=torch.float32, device=x.device)
    dot_kernel[(parts,)](partial, x, y, n, part, incx, incy, BLOCK=1024)
    sum_kernel[(1,)](result, partial, parts, BLOCK=triton.next_power_of_2(parts))
