# SPDX-License-Identifier: Apache-2.0
"""Row softmax with a helper that makes the input contiguous and restores its shape."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    x = tl.load(in_ptr + row * row_stride + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    x = x - tl.max(x, axis=0)
    e = tl.exp(x)
    tl.store(out_ptr + row * n_cols + cols, e / tl.sum(e, axis=0), mask=cols < n_cols)


def _rows(x, dim):
    moved = x.movedim(dim, -1).contiguous()
    return moved.view(-1, moved.shape[-1]), moved.shape


def softmax(self, dim, dtype=None):
    rows, shape = _rows(self, dim)
    out = torch.empty(rows.shape, dtype=dtype or self.dtype, device=self.device)
    if rows.numel():
        block = triton.next_power_of_2(rows.shape[1])
        softmax_kernel[(rows.shape[0],)](out, rows, rows.stride(0), rows.shape[1], BLOCK=block, num_warps=4)
    return out.view(shape).movedim(-1, dim)
