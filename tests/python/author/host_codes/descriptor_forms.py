# SPDX-License-Identifier: Apache-2.0
"""Host descriptors in a tuple, of a slice, and with each padding; the slice has half of the block's rows."""
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def move(pair):
    v = pair[0].load([0, 0])
    pair[1].store([0, 0], tl.where(v == v, v, -1.0))


def described(t, rows, padding="zero"):
    return TensorDescriptor(t, list(t.shape), list(t.stride()), [rows, t.shape[1]], padding=padding)


def three(x):
    rows, columns = x.shape
    o = torch.empty(3, rows, columns, device=x.device)
    lower = x[rows // 2:]
    for source, target in ((described(x, rows), o[0]), (described(lower, rows), o[1]),
                           (described(lower, rows, "nan"), o[2])):
        move[(1,)]((source, described(target, rows)))
    return o
