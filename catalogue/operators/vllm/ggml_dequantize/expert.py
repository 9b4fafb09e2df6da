# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::ggml_dequantize: each lane finds its block's scale and its own bits."""
import torch
import triton
import triton.language as tl


@triton.jit
def dequantize_kernel(out, weight, numel, Q8: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < numel
    at = weight + i // 32 * (34 if Q8 else 18)
    low = tl.load(at, mask=inside, other=0).to(tl.uint16)
    high = tl.load(at + 1, mask=inside, other=0).to(tl.uint16)
    d = (low | (high << 8)).to(tl.float16, bitcast=True).to(tl.float32)
    j = i % 32
    # Q4_0 keeps element j in the low half of byte j and element 16 + j in the high half.
    byte = tl.load(at + 2 + (j if Q8 else j % 16), mask=inside, other=0)
    if Q8:
        w = byte.to(tl.int8, bitcast=True).to(tl.float32)
    else:
        w = ((byte >> (j // 16 * 4).to(tl.uint8)) & 15).to(tl.float32) - 8.0
    tl.store(out + i, (d * w).to(tl.float16).to(out.dtype.element_ty), mask=inside)


def ggml_dequantize(W, quant_type, m, n, dtype=None):
    if quant_type not in (2, 8):
        raise NotImplementedError(f"GGML type {quant_type}")
    out = torch.empty((m, n), dtype=dtype or torch.float16, device=W.device)
    if out.numel():
        dequantize_kernel[(triton.cdiv(m * n, 1024),)](out, W, m * n, Q8=quant_type == 8, BLOCK=1024)
    return out
