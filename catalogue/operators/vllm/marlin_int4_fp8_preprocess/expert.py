# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::marlin_int4_fp8_preprocess: each lane recodes the eight nibbles of a word."""
import torch
import triton
import triton.language as tl


@triton.jit
def recode_kernel(out, weight, zeros, words, columns, group_rows, HAS_ZEROS: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < words
    word = tl.load(weight + i, mask=inside, other=0).to(tl.uint32, bitcast=True)
    zero = tl.full([BLOCK], 0x88888888, tl.uint32)
    if HAS_ZEROS:
        at = zeros + i // columns // group_rows * columns + i % columns
        zero = tl.load(at, mask=inside, other=0).to(tl.uint32, bitcast=True)
    new = tl.zeros([BLOCK], tl.uint32)
    for shift in tl.static_range(0, 32, 4):
        v = (word >> shift) & 15
        z = (zero >> shift) & 15
        new |= tl.where(v >= z, v - z, 15 - v) << shift
    tl.store(out + i, new.to(tl.int32, bitcast=True), mask=inside)


def marlin_int4_fp8_preprocess(qweight, qzeros_or_none=None, inplace=False):
    out = qweight if inplace else torch.empty_like(qweight)
    words = qweight.numel()
    has_zeros = qzeros_or_none is not None
    if words:
        recode_kernel[(triton.cdiv(words, 512),)](
            out, qweight, qzeros_or_none if has_zeros else qweight, words, qweight.shape[-1],
            qweight.shape[0] // qzeros_or_none.shape[0] if has_zeros else 1, HAS_ZEROS=has_zeros, BLOCK=512)
    return out
