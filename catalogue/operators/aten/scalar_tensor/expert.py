# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::scalar_tensor: one store."""
import torch
import triton
import triton.language as tl

@triton.jit
def store_kernel(out, real: "fp64", whole: "i64", REAL: tl.constexpr):
    """Two ways for the number to come, so that neither fp64 nor 64-bit integers lose a bit."""
    if REAL:
        tl.store(out, real.to(out.dtype.element_ty))
    else:
        tl.store(out, whole.to(out.dtype.element_ty))


def store(out, s):
    real = out.dtype.is_floating_point
    number = bool(s) if out.dtype == torch.bool else s
    store_kernel[(1,)](out, float(number) if real else 0.0, 0 if real else int(number), REAL=real)
    return out


def scalar_tensor(s, *, dtype=None):
    device = triton.runtime.driver.active.get_active_torch_device()
    return store(torch.empty((), dtype=dtype or torch.get_default_dtype(), device=device), s)


def scalar_tensor_out(s, *, out):
    return store(out, s)
