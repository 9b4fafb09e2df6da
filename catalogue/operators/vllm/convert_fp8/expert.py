# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::convert_fp8: e4m3 codes are made and read with integer arithmetic, on every target."""
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
def convert_kernel(out, x, numel, scale: "fp32", TO_BYTES: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < numel, other=0)
    factor = tl.full([BLOCK], scale, tl.float32)
    if TO_BYTES:
        result = e4m3_code(tl.div_rn(value.to(tl.float32), factor))
    else:
        result = (e4m3_value(value) * factor).to(out.dtype.element_ty)
    tl.store(out + i, result, mask=i < numel)


def convert_fp8(output, input, scale=1.0, kv_dtype="fp8"):
    if kv_dtype not in ("fp8", "fp8_e4m3"):
        raise ValueError(f"no conversion for {kv_dtype}")
    numel = input.numel()
    if numel:
        convert_kernel[(triton.cdiv(numel, 1024),)](
            output, input, numel, scale, TO_BYTES=input.dtype.is_floating_point, BLOCK=1024)
