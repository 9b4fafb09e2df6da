# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::scaled_fp8_quant: the largest magnitude is found per row, or by all programs together."""
import torch
import triton
import triton.language as tl


@triton.jit
def e4m3_code(x):
    """The code of e4m3 nearest to x (f32), ties to even, saturated; in integers, so that it runs on every target."""
    sign = (x.to(tl.uint32, bitcast=True) >> 24) & 0x80
    size = tl.minimum(tl.abs(x), 448.0)
    bits = size.to(tl.uint32, bitcast=True)
    normal = ((bits + 0x7FFFF + ((bits >> 20) & 1)) >> 20) - 960  # 20 bits rounded away; exponents biased by 7, not 127
    # f32 numbers next to 2^14 are 2^-9 apart, as e4m3's subnormals are: the sum rounds to them.
    small = (size + 16384.0).to(tl.uint32, bitcast=True) - 0x46800000
    code = tl.where(size < 0.015625, small, normal)
    return (tl.where(x != x, 0x7F, code) | sign).to(tl.uint8)


@triton.jit
def largest_kernel(largest, x, width, x_row, x_step, BLOCK: tl.constexpr):
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    at = x + tl.program_id(0).to(tl.int64) * x_row + column * x_step
    value = tl.abs(tl.load(at, mask=column < width, other=0).to(tl.float32))
    tl.atomic_max(largest, tl.max(value, 0))


@triton.jit
def quantise_kernel(out, scale_out, x, scale_or_largest, width, x_row, x_step, DYNAMIC: tl.constexpr,
                    BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    scale = tl.load(scale_or_largest)
    if DYNAMIC:
        scale = tl.div_rn(scale, 448.0)
        if (row == 0) & (tl.program_id(1) == 0):
            tl.store(scale_out, scale)
    value = tl.load(x + row * x_row + column * x_step, mask=column < width, other=0).to(tl.float32)
    tl.store(out + row * width + column, e4m3_code(value * tl.div_rn(1.0, scale)), mask=column < width)


@triton.jit
def row_kernel(out, scales, x, bound, width, x_row, x_step, HAS_BOUND: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x += row * x_row
    lane = tl.arange(0, BLOCK)
    high = tl.zeros([BLOCK], tl.float32)
    for start in range(0, width, BLOCK):
        value = tl.load(x + (start + lane) * x_step, mask=start + lane < width, other=0).to(tl.float32)
        high = tl.maximum(high, tl.abs(value))
    largest = tl.max(high, 0)
    if HAS_BOUND:
        largest = tl.minimum(largest, tl.load(bound))
    scale = tl.maximum(tl.div_rn(largest, 448.0), 1.0 / 229376.0)
    tl.store(scales + row, scale)
    for start in range(0, width, BLOCK):
        column = start + lane
        value = tl.load(x + column * x_step, mask=column < width, other=0).to(tl.float32)
        quotient = tl.div_rn(value, tl.full([BLOCK], scale, tl.float32))
        tl.store(out + row * width + column, e4m3_code(quotient), mask=column < width)


def scaled_fp8_quant(input, scale=None, num_token_padding=None, scale_ub=None, use_per_token_if_dynamic=False):
    rows, width = input.shape
    padded = max(rows, num_token_padding or 0)  # what the added rows hold is not defined
    out = torch.empty((padded, width), dtype=torch.uint8, device=input.device)
    block = min(1024, triton.next_power_of_2(max(width, 1)))
    grid = (rows, triton.cdiv(width, block))
    if scale is None and use_per_token_if_dynamic:
        scale = torch.empty((padded, 1), dtype=torch.float32, device=input.device)
        row_kernel[(rows,)](out, scale, input, scale if scale_ub is None else scale_ub, width, *input.stride(),
                            HAS_BOUND=scale_ub is not None, BLOCK=block)
    elif scale is None:
        largest = torch.zeros(1, dtype=torch.float32, device=input.device)
        scale = torch.empty(1, dtype=torch.float32, device=input.device)
        largest_kernel[grid](largest, input, width, *input.stride(), BLOCK=block)
        quantise_kernel[grid](out, scale, input, largest, width, *input.stride(), DYNAMIC=True, BLOCK=block)
    elif out.numel():
        quantise_kernel[grid](out, scale, input, scale, width, *input.stride(), DYNAMIC=False, BLOCK=block)
    return out.view(torch.float8_e4m3fn), scale
