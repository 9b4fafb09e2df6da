# SPDX-License-Identifier: Apache-2.0
"""Shapes and strides handed over as tuples."""
import torch
import triton
import triton.language as tl


@triton.jit
def strided_copy(ptrs, sizes, strides, B: tl.constexpr):
    i = tl.arange(0, B)
    rows = i // sizes[1]
    cols = i % sizes[1]
    m = i < sizes[0] * sizes[1]
    tl.store(ptrs[1] + i, tl.load(ptrs[0] + rows * strides[0] + cols * strides[1], mask=m), mask=m)


def copy(x):
    o = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    strided_copy[(1,)]((x, o), tuple(x.shape), x.stride(), B=triton.next_power_of_2(x.numel()))
    return o
