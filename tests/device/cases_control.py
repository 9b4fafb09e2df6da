# SPDX-License-Identifier: Apache-2.0
"""Control flow, calls, assertions that hold, and random numbers. All exact but the normal draws."""

import triton
import triton.language as tl
import values as v
from suite import Case, In, Out

FAMILY = "control"


@triton.jit
def collatz(x, out):
    p = tl.program_id(0)
    a = tl.load(x + p)
    count = 0
    while a != 1:
        if a % 2 == 0:
            a = a // 2
        else:
            a = 3 * a + 1
        count += 1
    tl.store(out + p, count)


@triton.jit
def fibonacci(x, out, trips, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(x + N + i)
    for _ in range(trips):
        a, b = b, a + b
    tl.store(out + i, a)
    tl.store(out + N + i, b)


@triton.jit
def early_return(x, out, n):
    p = tl.program_id(0)
    if p >= n:
        return
    a = tl.load(x + p)
    if a < 0:
        tl.store(out + p, -1)
        return
    tl.store(out + p, a * 2)


@triton.jit(noinline=True)
def helper(a, b):
    if a > b:
        return a - b
    return b * 3


@triton.jit
def calls(x, out):
    p = tl.program_id(0)
    tl.store(out + p, helper(tl.load(x + p), p) + helper(p, tl.load(x + p)))


@triton.jit
def nested_loops(x, out, rows, columns):
    p = tl.program_id(0)
    total = 0
    for i in range(p, rows, 3):
        for j in range(columns - 1, -1, -2):
            if (i + j) % 2 == 0:
                total += tl.load(x + i * columns + j)
            elif j > i:
                total -= 1
    tl.store(out + p, total)


@triton.jit
def bisection(table, x, out, size, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i)
    low, high = tl.zeros([N], tl.int32), tl.full([N], 0, tl.int32) + size
    while tl.max(high - low, 0) > 0:
        middle = (low + high) // 2
        active = low < high
        right = tl.load(table + middle, mask=active, other=0) < a
        low, high = tl.where(active & right, middle + 1, low), tl.where(active & ~right, middle, high)
    tl.store(out + i, low)


@triton.jit
def mandelbrot(out, limit, N: tl.constexpr):
    """Trip counts of a chaotic loop without contraction: one wrong bit shows."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    cx, cy = (i % 32).to(tl.float32) * 0.09375 - 2.0, (i // 32).to(tl.float32) * 0.0625 - 1.0
    x, y, count = tl.zeros([N], tl.float32), tl.zeros([N], tl.float32), tl.zeros([N], tl.int32)
    for _ in range(limit):
        xx, yy = x * x, y * y
        inside = xx + yy <= 4.0
        y = tl.where(inside, 2.0 * x * y + cy, y)
        x = tl.where(inside, xx - yy + cx, x)
        count += inside.to(tl.int32)
    tl.store(out + i, count)


@triton.jit
def logistic_map(x, out, trips, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    for _ in range(trips):
        a = 3.9 * a * (1.0 - a)
    tl.store(out + i, a)


@triton.jit
def asserted(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.device_assert((a >= -100) & (a < 100), "out of range")
    tl.static_assert(N == 256)
    tl.assume(tl.program_id(0) >= 0)
    tl.store(out + i, a + 1)


@triton.jit
def constant_choice(x, out, MODE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    if MODE == "double":
        a = a * 2
    elif MODE == "square":
        a = a * a
    else:
        a = -a
    tl.store(out + i, a)


@triton.jit
def tuple_results(a, b):
    return a + b, a - b, (a * b, a ^ b)


@triton.jit
def tuples(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    s, d, rest = tuple_results(tl.load(x + i), tl.load(y + i))
    tl.store(out + i, s ^ d)
    tl.store(out + N + i, rest[0] + rest[1])


@triton.jit
def scalar_arguments(out, a, b, c, d):
    tl.store(out, a + b)
    tl.store(out + 1, (c * 4.0).to(tl.int64))
    tl.store(out + 2, d.to(tl.int64) if d is not None else 17)


@triton.jit
def game_of_life(x, out, M: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :]
    around = tl.zeros([M, M], tl.int32)
    for di in tl.static_range(-1, 2):
        for dj in tl.static_range(-1, 2):
            if di != 0 or dj != 0:
                around += tl.load(x + ((i + di + M) % M) * M + (j + dj + M) % M)
    alive = tl.load(x + i * M + j)
    tl.store(out + i * M + j, ((around == 3) | ((alive == 1) & (around == 2))).to(tl.int32))


@triton.jit
def early_exit_search(x, out, n, wanted):
    at = -1
    i = 0
    while (i < n) & (at < 0):
        if tl.load(x + i) == wanted:
            at = i
        i += 1
    tl.store(out, at)


@triton.jit
def random_integers(out, seed, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.randint(seed, i))


@triton.jit
def random_four(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b, c, d = tl.randint4x(seed, i)
    tl.store(out + i, a)
    tl.store(out + N + i, b)
    tl.store(out + 2 * N + i, c)
    tl.store(out + 3 * N + i, d)


@triton.jit
def random_uniform(out, seed, ROUNDS: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.rand(seed, i, n_rounds=ROUNDS))


@triton.jit
def random_of_64_bits(out, seed, N: tl.constexpr):
    i = tl.arange(0, N).to(tl.int64) + 5000000000
    a, b, c, d = tl.philox(seed, i.to(tl.uint64), i.to(tl.uint64) * 3, i.to(tl.uint64) * 0, i.to(tl.uint64) * 0)
    tl.store(out + i - 5000000000, a ^ b ^ c ^ d)


@triton.jit
def random_normal(out, seed, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.randn(seed, i))


@triton.jit
def random_bits_as_mask(x, out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    keep = tl.rand(seed, i) > 0.25
    tl.store(out + i, tl.where(keep, tl.load(x + i) * 4.0, 0.0))


@triton.jit
def shuffle_by_keys(out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    key = (tl.randint(seed, i).to(tl.uint32, bitcast=True).to(tl.int64) << 16) | i
    tl.store(out + i, (tl.sort(key) & 0xFFFF).to(tl.int32))


def case(kernel, kind, arguments, grid=(1,), name=None, ulps=0, **constants):
    return Case(FAMILY, f"{name or kernel.__name__}.{kind}", kernel, arguments, grid, constants, ulps)


SEED = 0x1234567
CASES = [
    case(collatz, "i64", lambda: [In(v.small("i64", 32, 1, 1, 1000)), Out("i64", 32)], (32,)),
    *[case(fibonacci, k, lambda k=k: [In(v.bits(k, 128, 1)), Out(k, 128), 30], N=64) for k in ("i32", "u64", "i8")],
    case(early_return, "i32", lambda: [In(v.small("i32", 40, 1)), Out("i32", 40), 30], (40,)),
    case(calls, "i32", lambda: [In(v.small("i32", 40, 1)), Out("i32", 40)], (40,)),
    case(nested_loops, "i32", lambda: [In(v.bits("i32", 20 * 30, 1)), Out("i32", 5), 20, 30], (5,)),
    case(
        bisection,
        "i32",
        lambda: [In(v.as_kind("i32", range(0, 3000, 3))), In(v.small("i32", 512, 1, -10, 3100)), Out("i32", 512), 1000],
        (4,),
        N=128,
    ),
    case(mandelbrot, "f32", lambda: [Out("i32", 1024), 60], (4,), N=256),
    *[
        case(logistic_map, k, lambda k=k: [In(v.draw(k, 256, 1, 0.1, 0.9)), Out(k, 256), 100], N=256)
        for k in ("f32", "f64", "f16", "bf16")
    ],
    case(asserted, "i32", lambda: [In(v.small("i32", 256, 1)), Out("i32", 256)], debug=True, N=256),
    *[
        case(
            constant_choice,
            "i32",
            lambda: [In(v.bits("i32", 64, 1)), Out("i32", 64)],
            name=f"constant_choice_{m}",
            MODE=m,
            N=64,
        )
        for m in ("double", "square", "other")
    ],
    case(tuples, "i32", lambda: [In(v.bits("i32", 64, 1)), In(v.bits("i32", 64, 2)), Out("i32", 128)], N=64),
    case(scalar_arguments, "i64", lambda: [Out("i64", 3), 1, 2**40, 2.625, None]),
    case(game_of_life, "i32", lambda: [In(v.small("i32", 1024, 1, 0, 2)), Out("i32", 1024)], M=32),
    case(early_exit_search, "i32", lambda: [In(v.as_kind("i32", range(7, 107))), Out("i32", 1), 100, 60]),
    *[
        case(random_integers, "i32", lambda s=s: [Out("i32", 1024), s], (4,), name=f"random_integers_{n}", N=256)
        for n, s in enumerate((0, SEED, 2**33 + 5))
    ],
    case(random_four, "i32", lambda: [Out("i32", 1024), SEED], N=256),
    *[
        case(random_uniform, "f32", lambda: [Out("f32", 1024), SEED], (4,), name=f"random_uniform_{r}", ROUNDS=r, N=256)
        for r in (10, 7)
    ],
    case(random_of_64_bits, "u64", lambda: [Out("u64", 256), 2**40 + 3], N=256),
    case(random_normal, "f32", lambda: [Out("f32", 512), SEED], (2,), ulps=8, N=256),
    case(random_bits_as_mask, "f32", lambda: [In(v.bits("f32", 256, 1)), Out("f32", 256), SEED], N=256),
    case(shuffle_by_keys, "i32", lambda: [Out("i32", 256), SEED], N=256),
]
