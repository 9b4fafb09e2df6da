# SPDX-License-Identifier: Apache-2.0
"""A table of addresses on the device, filled in three ways."""
import numpy as np
import torch
import triton
import triton.language as tl


@triton.jit
def gather(table, o, n, B: tl.constexpr):
    p = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, B)
    tl.store(o + tl.program_id(0) * n + i, tl.load(p + i, mask=i < n), mask=i < n)


def stack(tensors):
    n = tensors[0].numel()
    o = torch.empty(3 * len(tensors), n, device="cuda")
    one = torch.empty(len(tensors), dtype=torch.int64, device="cuda")
    for i, t in enumerate(tensors):
        one[i] = t.data_ptr()
    two = torch.from_numpy(np.array([t.data_ptr() for t in tensors], dtype=np.uint64).view(np.int64)).cuda()
    three = torch.tensor([t.data_ptr() for t in tensors], pin_memory=True).to("cuda", non_blocking=True)
    for i, table in enumerate((one, two, three.clone())):
        gather[(len(tensors),)](table, o[i * len(tensors):], n, B=triton.next_power_of_2(n))
    return o
