# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::rotary_embedding: a token's heads are rotated in place by the angles of its position."""
import triton
import triton.language as tl


@triton.jit
def rotary_kernel(x, positions, cache, heads, half, batch_shape, x_strides, position_strides, x_head, x_step,
                  cache_row, cache_step, NEOX: tl.constexpr, HEADS: tl.constexpr, HALF: tl.constexpr):
    """(a, b) -> (a cos - b sin, b cos + a sin) for the pairs (i, i + half) of each head, or (2 i, 2 i + 1)."""
    token = tl.program_id(0).to(tl.int64)
    rest = token
    at_x = token * 0
    at_position = token * 0
    for d in tl.static_range(len(batch_shape) - 1, 0, -1):
        i = rest % batch_shape[d]
        rest = rest // batch_shape[d]
        at_x += i * x_strides[d]
        at_position += i * position_strides[d]
    at_x += rest * x_strides[0]
    at_position += rest * position_strides[0]
    position = tl.load(positions + at_position).to(tl.int64)

    pair = tl.arange(0, HALF).to(tl.int64)
    angle = cache + position * cache_row
    cos = tl.load(angle + pair * cache_step, mask=pair < half, other=0).to(tl.float32)[None, :]
    sin = tl.load(angle + (half + pair) * cache_step, mask=pair < half, other=0).to(tl.float32)[None, :]
    head = tl.program_id(1).to(tl.int64) * HEADS + tl.arange(0, HEADS)
    inside = (head < heads)[:, None] & (pair < half)[None, :]
    first = pair if NEOX else 2 * pair
    apart = half if NEOX else 1
    at_a = x + at_x + head[:, None] * x_head + first[None, :] * x_step
    at_b = at_a + apart * x_step
    a = tl.load(at_a, mask=inside, other=0).to(tl.float32)
    b = tl.load(at_b, mask=inside, other=0).to(tl.float32)
    # vLLM rounds both products to the tensors' type first; one rounding at the end is closer to the exact rotation.
    tl.store(at_a, (a * cos - b * sin).to(x.dtype.element_ty), mask=inside)
    tl.store(at_b, (b * cos + a * sin).to(x.dtype.element_ty), mask=inside)


def rotate(x, positions, head_size, cache, is_neox):
    if x is None or x.numel() == 0 or cache.shape[1] == 0:
        return
    if x.dim() == positions.dim() + 1:  # [.., heads * head_size]: seen as [.., heads, head_size]
        x = x.unflatten(-1, (x.shape[-1] // head_size, head_size))
    heads, half = x.shape[-2], cache.shape[1] // 2
    size = triton.next_power_of_2(half)
    tile = min(triton.next_power_of_2(heads), max(1, 1024 // size))
    rotary_kernel[(positions.numel(), triton.cdiv(heads, tile))](
        x, positions, cache, heads, half, tuple(positions.shape), x.stride()[:-2], positions.stride(), x.stride(-2),
        x.stride(-1), cache.stride(0), cache.stride(1), NEOX=is_neox, HEADS=tile, HALF=size)


def rotary_embedding(positions, query, key, head_size, cos_sin_cache, is_neox):
    rotate(query, positions, head_size, cos_sin_cache, is_neox)
    rotate(key, positions, head_size, cos_sin_cache, is_neox)
