# SPDX-License-Identifier: Apache-2.0
"""Pairs of each head rotated by the angle that the cache holds for the token's position; the rest is untouched."""
from kgbench.oracle import Expected


def rotated(x, positions, head_size, cache, is_neox):
    value = x.clone().reshape(*positions.shape, -1, head_size)
    magnitude = abs(value)
    half = cache.shape[1] // 2
    angles = cache[positions]
    cos, sin = angles[..., None, :half], angles[..., None, half : 2 * half]
    first = slice(0, half) if is_neox else slice(0, 2 * half, 2)
    second = slice(half, 2 * half) if is_neox else slice(1, 2 * half, 2)
    a, b = value[..., first].clone(), value[..., second].clone()
    value[..., first] = a * cos - b * sin
    value[..., second] = b * cos + a * sin
    magnitude[..., first] = abs(a * cos) + abs(b * sin)
    magnitude[..., second] = abs(b * cos) + abs(a * sin)
    return Expected(value.reshape(x.shape), magnitude=magnitude.reshape(x.shape))


def rotary_embedding(positions, query, key, head_size, cos_sin_cache, is_neox):
    result = {"query": rotated(query, positions, head_size, cos_sin_cache, is_neox)}
    if key is not None:
        result["key"] = rotated(key, positions, head_size, cos_sin_cache, is_neox)
    return result
