# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::hadacore_transform: butterflies in registers, log2(size) of them, in f32."""
import triton
import triton.language as tl


@triton.jit
def hadamard_kernel(x, numel, scale: "fp32", LOG_SIZE: tl.constexpr, BLOCK: tl.constexpr):
    """A block holds whole rows, or a part of the rows that a short tensor has."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    y = tl.load(x + i, mask=i < numel, other=0).to(tl.float32)
    for stage in tl.static_range(LOG_SIZE):
        # Elements whose index differs in one bit become their sum and their difference.
        pairs = tl.permute(tl.reshape(y, [BLOCK >> (stage + 1), 2, 1 << stage]), (0, 2, 1))
        low, high = tl.split(pairs)
        y = tl.reshape(tl.permute(tl.join(low + high, low - high), (0, 2, 1)), [BLOCK])
    tl.store(x + i, (y * scale).to(x.dtype.element_ty), mask=i < numel)


def hadacore_transform(x, inplace=True):
    size, numel = x.shape[-1], x.numel()
    if numel:
        block = max(size, 1024)
        hadamard_kernel[(triton.cdiv(numel, block),)](
            x, numel, size**-0.5, LOG_SIZE=size.bit_length() - 1, BLOCK=block)
    return x
