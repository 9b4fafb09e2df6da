# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::arange: every lane computes start + i * step; nothing is read."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def arange_kernel(out, start: "fp64", step: "fp64", first: "i64", hop: "i64", numel, stride,
                  WHOLE: tl.constexpr, BLOCK: tl.constexpr):
    """Reals in fp64, so that one rounding is left; integers in 64 bits."""
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    if WHOLE:
        value = first + index * hop
    else:
        value = start + index * step  # a product with fp64 is taken in fp64
    tl.store(out + index * stride, value.to(out.dtype.element_ty), mask=index < numel)


def launch(start, end, step, dtype, out):
    whole = all(isinstance(v, int) for v in (start, end, step))
    numel = max(0, -((start - end) // step) if whole else math.ceil((end - start) / step))
    if out is None:
        device = triton.runtime.driver.active.get_active_torch_device()
        out = torch.empty(numel, dtype=dtype or (torch.int64 if whole else torch.get_default_dtype()), device=device)
    if numel:
        arange_kernel[(triton.cdiv(numel, 1024),)](
            out, float(start), float(step), int(start), int(step), numel, out.stride(0), WHOLE=whole, BLOCK=1024)
    return out


def arange(end, *, dtype=None):
    return launch(0, end, 1, dtype, None)


def arange_start(start, end, *, dtype=None):
    return launch(start, end, 1, dtype, None)


def arange_start_step(start, end, step=1, *, dtype=None):
    return launch(start, end, step, dtype, None)


def arange_start_out(start, end, step=1, *, out):
    return launch(start, end, step, None, out)


def arange_out(end, *, out):
    return launch(0, end, 1, None, out)
