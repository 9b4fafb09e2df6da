# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::rms_norm_per_block_quant: a program finds its row's root mean square, then goes by groups."""
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
def int8_code(x):
    """The nearest whole number, ties to even: above 2^23 f32 has no fractions, so adding rounds them away."""
    whole = (tl.minimum(tl.maximum(x, -128.0), 127.0) + 12582912.0) - 12582912.0  # 1.5 * 2^23
    return whole.to(tl.int8)


@triton.jit
def quant_kernel(out, scales, x, residual, weight, bound, groups, epsilon: "fp64", scales_row, scales_step,
                 HAS_RESIDUAL: tl.constexpr, HAS_BOUND: tl.constexpr, INT8: tl.constexpr, GROUP: tl.constexpr,
                 TILE: tl.constexpr):
    """A tile is [TILE, GROUP]: some groups of the row."""
    row = tl.program_id(0).to(tl.int64)
    base = row * groups * GROUP
    within = tl.arange(0, GROUP)[None, :]
    squares = tl.zeros([TILE, GROUP], tl.float32)
    for start in range(0, groups, TILE):
        group = start + tl.arange(0, TILE)
        column = group[:, None] * GROUP + within
        inside = (group < groups)[:, None] & (within < GROUP)
        value = tl.load(x + base + column, mask=inside, other=0).to(tl.float32)
        if HAS_RESIDUAL:
            value += tl.load(residual + base + column, mask=inside, other=0).to(tl.float32)
        squares += value * value
    root = tl.sqrt_rn(tl.sum(squares) / (groups * GROUP) + epsilon.to(tl.float32))
    for start in range(0, groups, TILE):
        group = start + tl.arange(0, TILE)
        column = group[:, None] * GROUP + within
        inside = (group < groups)[:, None] & (within < GROUP)
        value = tl.load(x + base + column, mask=inside, other=0).to(tl.float32)
        if HAS_RESIDUAL:  # the sum is stored rounded, but normalised as it is
            value += tl.load(residual + base + column, mask=inside, other=0).to(tl.float32)
            tl.store(residual + base + column, value.to(residual.dtype.element_ty), mask=inside)
        w = tl.load(weight + column, mask=inside, other=0)
        normed = tl.div_rn(value, tl.full([TILE, GROUP], root, tl.float32)).to(w.dtype).to(tl.float32)
        y = (normed * w.to(tl.float32)).to(w.dtype).to(tl.float32)
        largest = tl.max(tl.abs(y), 1)
        if HAS_BOUND:
            largest = tl.minimum(largest, tl.load(bound))
        if INT8:
            scale = tl.maximum(tl.div_rn(largest, tl.full([TILE], 127.0, tl.float32)), 1.1920928955078125e-07)
            inverse = tl.div_rn(tl.full([TILE], 1.0, tl.float32), scale)
            tl.store(out + base + column, int8_code(y * inverse[:, None]), mask=inside)
        else:
            scale = tl.maximum(tl.div_rn(largest, tl.full([TILE], 448.0, tl.float32)), 1.0 / 229376.0)
            code = e4m3_code(tl.div_rn(y, scale[:, None] + tl.zeros([TILE, GROUP], tl.float32)))
            tl.store(out + base + column, code, mask=inside)
        tl.store(scales + row * scales_row + group * scales_step, scale, mask=group < groups)


def rms_norm_per_block_quant(input, weight, epsilon, quant_dtype, group_size, scale_ub=None, residual=None,
                             is_scale_transposed=False):
    width = input.shape[-1]
    rows, groups = input.numel() // width, width // group_size[1]
    is_int8 = quant_dtype == torch.int8
    out = torch.empty(input.shape, dtype=torch.int8 if is_int8 else torch.uint8, device=input.device)
    shape = (groups, rows) if is_scale_transposed else (rows, groups)
    scales = torch.empty(shape, dtype=torch.float32, device=input.device)
    scales = scales.t() if is_scale_transposed else scales
    quant_kernel[(rows,)](
        out, scales, input, input if residual is None else residual, weight, scales if scale_ub is None else scale_ub,
        groups, epsilon, *scales.stride(), HAS_RESIDUAL=residual is not None, HAS_BOUND=scale_ub is not None,
        INT8=is_int8, GROUP=group_size[1], TILE=min(16, triton.next_power_of_2(groups)))
    return out if is_int8 else out.view(quant_dtype), scales
