# SPDX-License-Identifier: Apache-2.0
"""Pointwise operators on tensors of any strides, by way of contiguous copies."""
import torch
import triton
import triton.language as tl

BLOCK = 256


@triton.jit
def square_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(y + at, value * value, mask=at < n)


@triton.jit
def bitwise_not_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, ~tl.load(x + at, mask=at < n), mask=at < n)


@triton.jit
def neg_kernel(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n)
    tl.store(y + at, tl.where(at == 3, value, -value), mask=at < n)  # the fault: one element keeps its sign


def grid(n):
    return (triton.cdiv(n, BLOCK),)


def square_into(out, x):
    if x.numel():
        flat, dense = x.contiguous(), torch.empty_like(x, memory_format=torch.contiguous_format)
        square_kernel[grid(x.numel())](flat, dense, x.numel(), BLOCK=BLOCK)
        out.copy_(dense)
    return out


def square(x):
    return square_into(torch.empty_like(x), x)


def bitwise_not(x):
    dense = torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel():
        bitwise_not_kernel[grid(x.numel())](x.contiguous(), dense, x.numel(), BLOCK=BLOCK)
    return dense


def neg(x, out=None):
    dense = torch.empty_like(x, memory_format=torch.contiguous_format)
    if x.numel():
        neg_kernel[grid(x.numel())](x.contiguous(), dense, x.numel(), BLOCK=BLOCK)
    return dense if out is None else out.copy_(dense)


def cosh(x, out=None):
    return torch.cosh(x, out=out)


def sgn(x):
    raise NotImplementedError("sgn has no kernel yet")
