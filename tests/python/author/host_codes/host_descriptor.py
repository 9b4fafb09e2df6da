# SPDX-License-Identifier: Apache-2.0
"""A block copy through host tensor descriptors."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def block_copy(src, dst, M: tl.constexpr, N: tl.constexpr):
    r = tl.program_id(0) * M
    c = tl.program_id(1) * N
    dst.store([r, c], src.load([r, c]))


def copy(x):
    o = torch.empty_like(x)
    block = [16, 32]
    src, dst = TensorDescriptor.from_tensor(x, block), TensorDescriptor.from_tensor(o, block)
    block_copy[(triton.cdiv(x.shape[0], 16), triton.cdiv(x.shape[1], 32))](src, dst, M=16, N=32)
    return o
