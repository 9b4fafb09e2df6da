# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasZdotc: partial dot products of parts of the vectors, added by a second launch."""
import torch
import triton
import triton.language as tl


@triton.jit
def dot_kernel(out, x, y, n, part, incx, incy, BLOCK: tl.constexpr):
    """out[p] = sum of conj(x[k]) y[k] over the elements k of part p; numbers are pairs, real part first."""
    p = tl.program_id(0)
    begin = p.to(tl.int64) * part
    end = min(begin + part, n)
    lane = tl.arange(0, BLOCK).to(tl.int64)
    re = tl.zeros([BLOCK], tl.float64)
    im = tl.zeros([BLOCK], tl.float64)
    for start in range(begin, end, BLOCK):
        k = start + lane
        x_re = tl.load(x + 2 * k * incx, mask=k < end, other=0.0)
        x_im = tl.load(x + 2 * k * incx + 1, mask=k < end, other=0.0)
        y_re = tl.load(y + 2 * k * incy, mask=k < end, other=0.0)
        y_im = tl.load(y + 2 * k * incy + 1, mask=k < end, other=0.0)
        re += x_re * y_re + x_im * y_im
        im += x_re * y_im - x_im * y_re
    tl.store(out + 2 * p, tl.sum(re, 0))
    tl.store(out + 2 * p + 1, tl.sum(im, 0))


@triton.jit
def sum_kernel(out, x, n, BLOCK: tl.constexpr):
    lane = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + 2 * lane, mask=lane < n, other=0.0), 0))
    tl.store(out + 1, tl.sum(tl.load(x + 2 * lane + 1, mask=lane < n, other=0.0), 0))


def from_first(x, n, inc):
    """A vector with a negative increment starts at its last element in memory and is walked backwards."""
    return x if inc >= 0 or n <= 0 else x[(n - 1) * -inc :]


def zdotc(n, x, incx, y, incy, result):
    x, y = torch.view_as_real(from_first(x, n, incx)), torch.view_as_real(from_first(y, n, incy))
    result = torch.view_as_real(result)
    if n <= 2048:  # one program holds it all; of nothing: zero
        block = triton.next_power_of_2(max(n, 1))
        dot_kernel[(1,)](result, x, y, n, block, incx, incy, BLOCK=block, num_warps=8 if n > 512 else 4)
        return
    parts = min(256, triton.cdiv(n, 1024))
    part = triton.cdiv(n, parts * 1024) * 1024
    partial = torch.empty(2 * parts, dtype=torch.float64, device=x.device)
    dot_kernel[(parts,)](partial, x, y, n, part, incx, incy, BLOCK=1024)
    sum_kernel[(1,)](result, partial, parts, BLOCK=triton.next_power_of_2(parts))
