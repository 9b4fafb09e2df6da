# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::gptq_shuffle: words are built from the old ones in a second buffer, then copied back."""
import torch
import triton
import triton.language as tl


@triton.jit
def shuffle_kernel(out, weight, perm, words, columns, HAS_PERM: tl.constexpr, BITS: tl.constexpr, BLOCK: tl.constexpr):
    PACK: tl.constexpr = 32 // BITS
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = tl.arange(0, PACK)[None, :]
    inside = (i < words)[:, None] & (place < PACK)
    # The field that goes to this place: with 4 bits the even ones come first.
    field = 2 * (place % 4) + place // 4 if BITS == 4 else place
    k = (i // columns)[:, None] * PACK + field
    if HAS_PERM:
        k = tl.load(perm + k, mask=inside, other=0)
    source = tl.load(weight + k // PACK * columns + (i % columns)[:, None], mask=inside, other=0)
    value = (source.to(tl.uint32, bitcast=True) >> (BITS * (k % PACK)).to(tl.uint32)) & ((1 << BITS) - 1)
    packed = tl.sum(value << (BITS * place).to(tl.uint32), 1)  # the fields do not overlap: a sum is an or
    tl.store(out + i, packed.to(tl.int32, bitcast=True), mask=i < words)


@triton.jit
def copy_kernel(out, x, words, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < words), mask=i < words)


def gptq_shuffle(q_weight, q_perm, bit):
    if bit not in (4, 8):
        raise NotImplementedError(f"{bit} bits")
    words = q_weight.numel()
    built = torch.empty_like(q_weight)
    shuffle_kernel[(triton.cdiv(words, 256),)](
        built, q_weight, q_perm, words, q_weight.shape[1], HAS_PERM=q_perm.numel() > 0, BITS=bit, BLOCK=256)
    copy_kernel[(triton.cdiv(words, 1024),)](q_weight, built, words, BLOCK=1024)
