# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::gptq_marlin_moe_repack: each lane builds one output word from the fields it gathers."""
import torch
import triton
import triton.language as tl


@triton.jit
def marlin_place(word, j, size_n, BITS: tl.constexpr, WIDE: tl.constexpr):
    """(k, n) of field j of an output word: a tile of 16 x 64 weights, or 32 x 32 for 8-bit activations, has 128
    words of 4-bit fields or 256 of 8-bit ones, four (eight) for each of the warp's 32 threads."""
    WORDS: tl.constexpr = 32 * BITS
    tile = word // WORDS
    r = word % WORDS
    half = 0
    if BITS == 8:
        half = r % 2
        r = r // 2
    t = r // 4
    w = r % 4
    if WIDE:
        v = (j % 2) * 4 + j // 2 if BITS == 4 else 4 * half + j
        k = 32 * (tile // (size_n // 32)) + 4 * (t % 4) + v % 4 + 16 * (v // 4)
        n = 32 * (tile % (size_n // 32)) + 16 * (w // 2) + 8 * (w % 2) + t // 4
    else:
        v = (j % 4) * 2 + j // 4 if BITS == 4 else 4 * half + (j % 2) * 2 + j // 2
        k = 16 * (tile // (size_n // 64)) + 2 * (t % 4) + v % 2 + 8 * (v // 2 % 2)
        n = 64 * (tile % (size_n // 64)) + 16 * w + t // 4 + 8 * (v // 4)
    return k, n


@triton.jit
def repack_kernel(out, weight, perm, words, size_k, size_n, HAS_PERM: tl.constexpr, BITS: tl.constexpr,
                  WIDE: tl.constexpr, BLOCK: tl.constexpr):
    PACK: tl.constexpr = 32 // BITS
    expert = tl.program_id(0).to(tl.int64)
    word = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    j = tl.arange(0, PACK)[None, :]
    k, n = marlin_place(word[:, None], j, size_n, BITS, WIDE)
    inside = (word < words)[:, None] & (j < PACK)
    if HAS_PERM:
        k = tl.load(perm + expert * size_k + k, mask=inside, other=0)
    source = tl.load(weight + expert * words + (k // PACK) * size_n + n, mask=inside, other=0)
    field = (source.to(tl.uint32, bitcast=True) >> (BITS * (k % PACK)).to(tl.uint32)) & ((1 << BITS) - 1)
    packed = tl.sum(field << (BITS * j).to(tl.uint32), 1)  # the fields do not overlap: a sum is an or
    tl.store(out + expert * words + word, packed.to(tl.int32, bitcast=True), mask=word < words)


def gptq_marlin_moe_repack(b_q_weight, perm, size_k, size_n, num_bits, is_a_8bit=False):
    experts = b_q_weight.shape[0]
    out = torch.empty((experts, size_k // 16, size_n * num_bits // 2), dtype=torch.int32, device=b_q_weight.device)
    words = size_k * size_n * num_bits // 32
    if out.numel():
        repack_kernel[(experts, triton.cdiv(words, 256))](
            out, b_q_weight, perm, words, size_k, size_n, HAS_PERM=perm.numel() > 0, BITS=num_bits, WIDE=is_a_8bit,
            BLOCK=256)
    return out
