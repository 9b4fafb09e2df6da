# SPDX-License-Identifier: Apache-2.0
"""The honest twin: the same work without the trick."""
import torch
import triton
import triton.language as tl

COMPUTE = {torch.float16: tl.float32, torch.bfloat16: tl.float32, torch.float32: tl.float32,
           torch.float64: tl.float64, torch.uint8: tl.uint8, torch.int16: tl.int16, torch.int32: tl.int32,
           torch.int64: tl.int64}


@triton.jit
def offsets(i, shape, strides):
    rest = i
    at = i * 0
    for d in tl.static_range(len(shape) - 1, -1, -1):
        at += rest % shape[d] * strides[d]
        rest = rest // shape[d]
    return at


@triton.jit
def add_kernel(x, y, value: "fp64", alpha: "fp64", n, shape, x_strides, y_strides, HAS_Y: tl.constexpr,
               ARITH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = x + offsets(i, shape, x_strides)
    a = tl.load(at, mask=i < n, other=0).to(ARITH)
    if HAS_Y:
        b = tl.load(y + offsets(i, shape, y_strides), mask=i < n, other=0).to(ARITH)
    else:
        b = tl.full([BLOCK], value, ARITH)
    tl.store(at, (a + tl.full([BLOCK], alpha, ARITH) * b).to(x.dtype.element_ty), mask=i < n)


def run(self, other, alpha):
    tensor = isinstance(other, torch.Tensor)
    y = other.expand(self.shape) if tensor else self
    n = self.numel()
    if n:
        add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](
            self, y, 0.0 if tensor else other, alpha, n, tuple(self.shape) or (1,), self.stride() or (1,),
            y.stride() or (1,), HAS_Y=tensor, BLOCK=256,
            ARITH=COMPUTE[torch.result_type(self, other)])
    return self


def add__Tensor(self, other, *, alpha=1):
    return run(self, other, alpha)


def add__Scalar(self, other, alpha=1):
    return run(self, other, alpha)
