# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::scaled_int8_quant: a program finds its row's range, if it has to, and quantises the row."""
import torch
import triton
import triton.language as tl


@triton.jit
def nearest(x):
    """The nearest whole number, ties to even: above 2^23 f32 has no fractions, so adding rounds them away."""
    x = tl.minimum(tl.maximum(x, -2000000.0), 2000000.0)  # far outside of i8 already
    return ((x + 12582912.0) - 12582912.0).to(tl.int32)  # 1.5 * 2^23


@triton.jit
def saturated(code):
    return tl.minimum(tl.maximum(code, -128), 127).to(tl.int8)


@triton.jit
def static_kernel(out, x, scale_pointer, azp_pointer, width, x_row, x_step, HAS_AZP: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    scale = tl.load(scale_pointer)
    value = tl.load(x + row * x_row + column * x_step, mask=column < width, other=0).to(tl.float32)
    if HAS_AZP:
        code = nearest(value * tl.div_rn(1.0, scale)) + tl.load(azp_pointer)
    else:
        code = nearest(tl.div_rn(value, tl.full([BLOCK], scale, tl.float32)))
    tl.store(out + row * width + column, saturated(code), mask=column < width)


@triton.jit
def dynamic_kernel(out, scales, azps, x, width, x_row, x_step, SYMMETRIC: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * x_row
    lane = tl.arange(0, BLOCK).to(tl.int64)
    low = tl.full([BLOCK], float("inf"), tl.float32)
    high = tl.full([BLOCK], float("-inf"), tl.float32)
    for start in range(0, width, BLOCK):
        inside = start + lane < width
        value = tl.load(x + (start + lane) * x_step, mask=inside, other=0).to(tl.float32)
        low = tl.minimum(low, tl.where(inside, value, float("inf")))
        high = tl.maximum(high, tl.where(inside, value, float("-inf")))
    least = tl.min(low, 0)
    most = tl.max(high, 0)
    if SYMMETRIC:
        largest = tl.maximum(-least, most)
        tl.store(scales + row, tl.div_rn(largest, 127.0))
        factor = tl.where(largest == 0, 0.0, tl.div_rn(127.0, largest))  # a row of zeros has codes of zero
        azp = 0
    else:
        scale = tl.div_rn(most - least, 255.0)
        azp = nearest(-128.0 - tl.div_rn(least, scale))
        tl.store(scales + row, scale)
        tl.store(azps + row, azp)
        factor = tl.div_rn(1.0, scale)
    for start in range(0, width, BLOCK):
        column = start + lane
        value = tl.load(x + column * x_step, mask=column < width, other=0).to(tl.float32)
        tl.store(out + row * width + column, saturated(nearest(value * factor) + azp), mask=column < width)


def scaled_int8_quant(input, scale=None, azp=None, symmetric=True):
    out = torch.empty(input.shape, dtype=torch.int8, device=input.device)
    width = input.shape[-1]
    x = input.view(-1, width) if input.dim() != 2 else input  # a view: rows lie at one distance
    rows = x.shape[0]
    block = min(1024, triton.next_power_of_2(max(width, 1)))
    if scale is not None:
        if symmetric != (azp is None):
            raise ValueError("azp must be given for asymmetric quantisation, and for it alone")
        if out.numel():
            static_kernel[(rows, triton.cdiv(width, block))](
                out, x, scale, scale if azp is None else azp, width, *x.stride(), HAS_AZP=azp is not None, BLOCK=block)
        return out, scale, azp
    scales = torch.empty((rows, 1), dtype=torch.float32, device=input.device)
    azps = None if symmetric else torch.empty((rows, 1), dtype=torch.int32, device=input.device)
    if out.numel():
        dynamic_kernel[(rows,)](out, scales, scales if symmetric else azps, x, width, *x.stride(),
                                SYMMETRIC=symmetric, BLOCK=block)
    return out, scales, azps
