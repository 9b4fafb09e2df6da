# SPDX-License-Identifier: Apache-2.0
"""Writes infinities and keeps NaN, as asked."""
import torch
import triton
import triton.language as tl


@triton.jit
def fill_kernel(out, x, mask, value, scalar: "fp64", n, HAS_VALUE: tl.constexpr):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    kind = out.dtype.element_ty
    if HAS_VALUE:
        new = tl.load(value).to(kind)
    elif kind.is_int() and kind.primitive_bitwidth > 1:
        new = tl.full([1], scalar, tl.float64).to(tl.int64).to(kind)  # -1 wraps in an unsigned type
    else:
        new = tl.full([1], scalar, tl.float64).to(kind)
    tl.store(out + i, tl.where(tl.load(mask + i, mask=i < n, other=0) != 0, new, tl.load(x + i, mask=i < n, other=0)),
             mask=i < n)


def run(self, mask, value):
    tensor = isinstance(value, torch.Tensor)
    x, mask = self.contiguous(), mask.expand(self.shape).contiguous()
    out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    n = self.numel()
    if n:
        fill_kernel[(triton.cdiv(n, 256),)](out, x, mask, value if tensor else x, 0.0 if tensor else value, n,
                                            HAS_VALUE=tensor)
        write_back[(triton.cdiv(n, 256),)](self, out, n, tuple(self.shape) or (1,), self.stride() or (1,))
    return self


@triton.jit
def write_back(out, x, n, shape, strides):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    rest = i
    at = i * 0
    for d in tl.static_range(len(shape) - 1, -1, -1):
        at += rest % shape[d] * strides[d]
        rest = rest // shape[d]
    tl.store(out + at, tl.load(x + i, mask=i < n, other=0), mask=i < n)


def masked_fill__Scalar(self, mask, value):
    return run(self, mask, value)


def masked_fill__Tensor(self, mask, value):
    return run(self, mask, value)
