# SPDX-License-Identifier: Apache-2.0
"""Integer, bitwise and shift operations: all exact, wrapping and out-of-range counts included."""

import triton
import triton.language as tl
import values as v
from arithmetic import absolute, add, multiply, negate, subtract
from suite import In, Out, Case, elementwise
from triton.language.extra.cuda import libdevice

FAMILY = "integer"


@triton.jit
def bit_and(a, b):
    return a & b


@triton.jit
def bit_or(a, b):
    return a | b


@triton.jit
def bit_xor(a, b):
    return a ^ b


@triton.jit
def invert(a):
    return ~a


@triton.jit
def shift_left(a, b):
    return a << b


@triton.jit
def shift_right(a, b):
    return a >> b


@triton.jit
def divide(a, b):
    return a // b


@triton.jit
def modulo(a, b):
    return a % b


@triton.jit
def ceil_divide(a, b):
    return tl.cdiv(a, b)


@triton.jit
def least(a, b):
    return tl.minimum(a, b)


@triton.jit
def greatest(a, b):
    return tl.maximum(a, b)


@triton.jit
def high_product(a, b):
    return tl.umulhi(a, b)


@triton.jit
def relations(a, b):
    """All six comparisons as one number."""
    return (
        (a == b).to(tl.int32)
        + (a != b).to(tl.int32) * 2
        + (a < b).to(tl.int32) * 4
        + (a <= b).to(tl.int32) * 8
        + (a > b).to(tl.int32) * 16
        + (a >= b).to(tl.int32) * 32
    )


@triton.jit
def select(a, b, c):
    return tl.where(a > b, c, a)


@triton.jit
def limit(a, b, c):
    return tl.minimum(tl.maximum(a, b), c)


@triton.jit
def rotate(a, b):
    count = b & 31
    return (a << count) | (a >> (32 - count))


@triton.jit
def xorshift(a):
    a ^= a << 13
    a ^= a >> 17
    a ^= a << 5
    return a


@triton.jit
def murmur_mix(a):
    a ^= a >> 16
    a *= 0x85EBCA6B
    a ^= a >> 13
    a *= 0xC2B2AE35
    return a ^ (a >> 16)


@triton.jit
def fnv(a):
    h = tl.full(a.shape, 0xCBF29CE484222325, tl.uint64)
    for k in tl.static_range(8):
        h = (h ^ ((a >> (8 * k)) & 0xFF)) * 0x100000001B3
    return h


@triton.jit
def wide_product(a, b):
    return a.to(tl.int64) * b


@triton.jit
def mixed_signs(a, b):
    return a.to(tl.uint32, bitcast=True) // (b.to(tl.uint32, bitcast=True) | 1) + a // (b | 1)


@triton.jit
def magic_division(a):
    """Division by constants: the compiler makes products and shifts of it."""
    return a // 7 + a % 10 + a // -3 + a // 1024 + a % 4096


@triton.jit
def midpoint(a, b):
    return (a & b) + ((a ^ b) >> 1)


@triton.jit
def square_root(a):
    root = tl.zeros_like(a)
    for k in tl.static_range(16):
        trial = root | (1 << (15 - k))
        root = tl.where(trial * trial <= a, trial, root)
    return root


@triton.jit
def gcd(a, b):
    for _ in range(48):
        safe = tl.where(b == 0, 1, b)
        a, b = tl.where(b == 0, a, b), tl.where(b == 0, 0, a % safe)
    return a


@triton.jit
def power(a, b):
    result = tl.full(a.shape, 1, a.dtype)
    for k in tl.static_range(5):
        result = tl.where((b >> k) & 1 != 0, result * a, result)
        a *= a
    return result


@triton.jit
def gray(a):
    code = a ^ (a >> 1)
    back = code
    for k in tl.static_range(5):
        back ^= back >> (1 << k)
    return code * 3 + back


@triton.jit
def leading_zeros(a):
    return libdevice.clz(a)


@triton.jit
def count_ones(a):
    return libdevice.popc(a)


@triton.jit
def reverse_bits(a):
    return libdevice.brev(a)


@triton.jit
def first_set(a):
    return libdevice.ffs(a)


@triton.jit
def permute_bytes(a, b, c):
    return libdevice.byte_perm(a, b, c & 0x7777)


@triton.jit
def signed_high_product(a, b):
    return libdevice.mulhi(a, b)


@triton.jit
def product_of_24_bits(a, b):
    return libdevice.mul24(a, b)


@triton.jit
def sum_of_differences(a, b, c):
    return libdevice.sad(a, b, c.to(tl.uint32, bitcast=True))


@triton.jit
def half_sum(a, b):
    return libdevice.hadd(a, b) ^ libdevice.rhadd(a, b)


@triton.jit
def carry_chain(x, y, out, carry_out, N: tl.constexpr):
    """128-bit sums of two 64-bit words each."""
    i = tl.arange(0, N)
    low = tl.load(x + 2 * i) + tl.load(y + 2 * i)
    carry = (low < tl.load(x + 2 * i)).to(tl.uint64)
    high = tl.load(x + 2 * i + 1) + tl.load(y + 2 * i + 1) + carry
    tl.store(out + 2 * i, low)
    tl.store(out + 2 * i + 1, high)
    tl.store(carry_out + i, carry)


@triton.jit
def pack_nibbles(x, out, back, N: tl.constexpr):
    i = tl.arange(0, N)
    packed = (tl.load(x + 2 * i) & 15) | (tl.load(x + 2 * i + 1) << 4)
    tl.store(out + i, packed)
    tl.store(back + 2 * i, (packed << 4).to(tl.int8, bitcast=True) >> 4)
    tl.store(back + 2 * i + 1, packed.to(tl.int8, bitcast=True) >> 4)


def counts(kind, n, seed):
    """Second operands that are shift counts in range, and some at or beyond the width."""
    if seed == 1:
        return v.mixed(kind, n, seed)
    width = 8 * v.TORCH[kind].itemsize
    return v.small(kind, n, seed, 0, width)


def far_counts(kind, n, seed):
    return v.mixed(kind, n, 1) if seed == 1 else v.small(kind, n, seed, 0, 3 * 8 * v.TORCH[kind].itemsize)


def divisors(kind, n, seed):
    """No zero and not minus one below the second operand: division by zero has a choice of its own."""
    values = v.mixed(kind, n, seed)
    if seed == 1:
        return values
    words = v.words_of(values).copy()
    words[(words == 0) | (words == v.word(kind)(2 ** (8 * v.TORCH[kind].itemsize) - 1))] = 3
    return v.tensor(kind, words)


def each(function, kinds, **how):
    return elementwise(FAMILY, function, kinds, **how)


ALL = v.INTEGERS
WIDE = ("i32", "u32", "i64", "u64")
CASES = [
    *each(add, ALL),
    *each(subtract, ALL),
    *each(multiply, ALL),
    *each(negate, v.SIGNED),
    *each(absolute, v.SIGNED),
    *each(bit_and, ALL),
    *each(bit_or, ALL),
    *each(bit_xor, ALL),
    *each(invert, ALL),
    *each(shift_left, ALL, values=counts),
    *each(shift_right, ALL, values=counts),
    *each(shift_left, WIDE, values=far_counts, name="shift_left_beyond_the_width"),
    *each(shift_right, WIDE, values=far_counts, name="shift_right_beyond_the_width"),
    *each(divide, ALL, values=divisors),
    *each(modulo, ALL, values=divisors),
    *each(ceil_divide, WIDE, values=divisors),
    *each(least, ALL),
    *each(greatest, ALL),
    *each(high_product, WIDE),
    *each(relations, ALL, out="i32"),
    *each(select, ALL),
    *each(limit, WIDE),
    *each(rotate, ["u32"]),
    *each(xorshift, ["u32"]),
    *each(murmur_mix, ["u32"]),
    *each(fnv, ["u64"]),
    *each(wide_product, ["i32", "i16"], out="i64"),
    *each(mixed_signs, ["i32"], out="u32"),
    *each(magic_division, ["i16", "i32", "i64"]),
    *each(midpoint, ALL),
    *each(square_root, ["u32"]),
    *each(gcd, ["u32", "u64"]),
    *each(power, WIDE),
    *each(gray, ["u32"]),
    *each(leading_zeros, ["i32", "i64"], out="i32"),
    *each(count_ones, ["i32", "i64"], out="i32"),
    *each(reverse_bits, ["i32", "i64"]),
    *each(first_set, ["i32", "i64"], out="i32"),
    *each(permute_bytes, ["i32"]),
    *each(signed_high_product, ["i32", "u32", "i64", "u64"]),
    *each(product_of_24_bits, ["i32", "u32"]),
    *each(sum_of_differences, ["i32"], out="u32"),
    *each(half_sum, ["i32", "u32"]),
    Case(
        FAMILY,
        "carry_chain.u64",
        carry_chain,
        lambda: [In(v.mixed("u64", 1024, 1)), In(v.mixed("u64", 1024, 2)), Out("u64", 1024), Out("u64", 512)],
        constants={"N": 512},
    ),
    Case(
        FAMILY,
        "pack_nibbles.u8",
        pack_nibbles,
        lambda: [In(v.bits("u8", 1024, 1)), Out("u8", 512), Out("i8", 1024)],
        constants={"N": 512},
    ),
]
