# SPDX-License-Identifier: Apache-2.0
"""Inputs of the proof suite: the same bytes from the same seed on every machine.

Everything comes from the raw words of NumPy's Philox generator by exact IEEE operations, so no library's choice of
algorithm or rounding can change an input; the recording holds a digest of them all the same.
"""

import numpy as np
import torch

INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
SIGNED, UNSIGNED = INTEGERS[:4], INTEGERS[4:]
FLOATS = ("f16", "bf16", "f32", "f64")
FP8 = ("e4m3", "e5m2")
TORCH = {
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "u8": torch.uint8,
    "u16": torch.uint16,
    "u32": torch.uint32,
    "u64": torch.uint64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
    "bool": torch.bool,
}
WORDS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}  # how the bits of an element are held


def word(kind):
    return WORDS[TORCH[kind].itemsize]


def tensor(kind, words):
    """A tensor of the kind with these bits."""
    words = np.ascontiguousarray(words, dtype=word(kind))
    return torch.from_numpy(words.view(np.uint8).copy()).view(TORCH[kind]).reshape(words.shape)


def words_of(values):
    """The bits of a tensor as unsigned integers."""
    flat = values.detach().cpu().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().view(WORDS[values.dtype.itemsize]).reshape(tuple(values.shape))


def raw(n, seed):
    return np.random.Philox(key=seed).random_raw(n)


def uniform(n, seed, low=0.0, high=1.0):
    """f64 in [low, high) with 53 random bits."""
    return low + (high - low) * ((raw(n, seed) >> np.uint64(11)).astype(np.float64) * 2.0**-53)


def as_kind(kind, numbers):
    """f64 or integer numbers as a tensor: floats rounded to nearest even, integers cut to their low bits."""
    if TORCH[kind].is_floating_point:
        return torch.from_numpy(np.asarray(numbers, dtype=np.float64)).to(TORCH[kind])
    if kind == "bool":
        return torch.from_numpy(np.asarray(numbers) != 0)
    return tensor(kind, np.asarray(numbers).astype(np.int64).view(np.uint64).astype(word(kind)))


def draw(kind, n, seed, low=-4.0, high=4.0):
    """Ordinary numbers of the kind, evenly spread."""
    return as_kind(kind, uniform(n, seed, low, high))


def spread(kind, n, seed, exponents=12):
    """Floats of both signs whose exponents differ by up to twice `exponents`."""
    power = np.floor(uniform(n, seed + 1, -exponents, exponents))
    return as_kind(kind, uniform(n, seed, -2.0, 2.0) * 2.0**power)


def small(kind, n, seed, low=-8, high=8):
    """Whole numbers in [low, high): their sums and products are exact in every order."""
    return as_kind(kind, np.floor(uniform(n, seed, low, high)))


def bits(kind, n, seed):
    """Any bit pattern: NaN, infinities and denormals included."""
    if kind == "bool":
        return as_kind(kind, raw(n, seed) >> np.uint64(63))
    return tensor(kind, (raw(n, seed) >> np.uint64(64 - 8 * TORCH[kind].itemsize)).astype(word(kind)))


def every(kind):
    """All patterns of an 8- or 16-bit kind."""
    return tensor(kind, np.arange(256 ** TORCH[kind].itemsize))


def edges(kind):
    """16 values: zeros, limits, infinities, NaN, denormals, and ordinary ones."""
    if kind == "bool":
        return as_kind(kind, [0, 1] * 8)
    if TORCH[kind].is_floating_point:
        info = torch.finfo(TORCH[kind])
        least = 2.0**-1074 if kind == "f64" else info.tiny * info.eps
        return as_kind(
            kind,
            [
                0.0,
                -0.0,
                1.0,
                -1.0,
                np.inf,
                -np.inf,
                np.nan,
                info.max,
                info.min,
                info.tiny,
                least,
                -3 * least,
                0.5,
                -2.5,
                3.140625,
                1 + info.eps,
            ],
        )
    width = 8 * TORCH[kind].itemsize
    top = 1 << (width - 1)
    numbers = [0, 1, 2, 3, 7, 10, 100, -1, -2, -7, top - 1, top - 2, top, top + 1, top >> 1, 0x5A]
    return tensor(kind, np.array([v & (2**width - 1) for v in numbers], dtype=np.uint64))


def pick(values, index):
    """values[index], also for kinds that torch cannot index."""
    words = words_of(values)[index]
    return torch.from_numpy(np.ascontiguousarray(words).view(np.uint8)).view(values.dtype)


def joined(parts):
    return torch.from_numpy(np.concatenate([words_of(part) for part in parts]).view(np.uint8)).view(parts[0].dtype)


def mixed(kind, n, seed):
    """Edge values in an order that pairs each with each (by the seed's parity), any bits, ordinary numbers."""
    at = np.arange(256)
    head = pick(edges(kind), at // 16 if seed % 2 else at % 16)
    if n == 256:
        return head
    if kind == "bool":
        return joined([head, bits(kind, n - 256, seed)])
    half = (n - 256) // 2
    rest = (
        spread(kind, n - 256 - half, seed)
        if TORCH[kind].is_floating_point
        else small(kind, n - 256 - half, seed, -100, 100)
    )
    return joined([head, bits(kind, half, seed), rest])


def tensor_of(dtype, words):
    """As `tensor`, by torch's name of the dtype."""
    return torch.from_numpy(np.ascontiguousarray(words).view(np.uint8).copy()).view(getattr(torch, dtype))
