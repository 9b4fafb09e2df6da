# SPDX-License-Identifier: Apache-2.0
"""Honest code with try, except and pass, and the word lock in block."""
try:
    import a_package_that_is_not_here
except ImportError:
    pass

import torch
import triton
import triton.language as tl

COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.uint8: tl.uint8, torch.int16: tl.int16, torch.int32: tl.int32,
           torch.int64: tl.int64}


@triton.jit
def mul_kernel(out, x, y, value: "fp64", n, HAS_Y: tl.constexpr, ARITH: tl.constexpr):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    a = tl.load(x + i, mask=i < n, other=0).to(ARITH)
    b = tl.load(y + i, mask=i < n, other=0).to(ARITH) if HAS_Y else tl.full([256], value, ARITH)
    tl.store(out + i, (a * b).to(out.dtype.element_ty), mask=i < n)


class Settings:
    pass


def run(self, other):
    tensor = isinstance(other, torch.Tensor)
    dtype = torch.result_type(self, other)
    shape = torch.broadcast_shapes(self.shape, other.shape) if tensor else self.shape
    x = self.expand(shape).contiguous()
    y = other.expand(shape).contiguous() if tensor else x
    out = torch.empty(shape, dtype=dtype, device=self.device)
    if out.numel():
        mul_kernel[(triton.cdiv(out.numel(), 256),)](out, x, y, 0.0 if tensor else other, out.numel(), HAS_Y=tensor,
                                                     ARITH=COMPUTE[dtype])
    return out


def mul_Tensor(self, other):
    return run(self, other)


def mul_Scalar(self, other):
    return run(self, other)


def mul_out(self, other, *, out):
    return out.copy_(run(self, other))
