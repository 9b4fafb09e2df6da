# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::cutlass_pack_scale_fp8: codes are read and made with integer arithmetic, on every target."""
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
def e4m3_value(code):
    """f32 of a byte that holds an e4m3 code: as f16, whose exponent is biased by 8 more; runs on every target."""
    wide = code.to(tl.uint16)
    half = ((wide & 0x80) << 8 | (wide & 0x7F) << 7).to(tl.float16, bitcast=True)
    return tl.where((wide & 0x7F) == 0x7F, float("nan"), half.to(tl.float32) * 256.0)


@triton.jit
def pack_kernel(out, scales, numel, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = e4m3_value(tl.load(scales + i // 8, mask=i < numel, other=0))
    factor = (i % 8 - 8).to(tl.float32)
    tl.store(out + i, e4m3_code(value * factor), mask=i < numel)


def cutlass_pack_scale_fp8(scales):
    numel = 8 * scales.numel()
    out = torch.empty(numel, dtype=torch.uint8, device=scales.device)
    if numel:
        pack_kernel[(triton.cdiv(numel, 1024),)](out, scales.view(torch.uint8), numel, BLOCK=1024)
    return out.view(torch.float8_e4m3fn)
