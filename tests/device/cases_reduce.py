# SPDX-License-Identifier: Apache-2.0
"""Reductions and scans with any region, sorting, histograms: exact where the order cannot matter, else within ulps."""

import triton
import triton.language as tl
import values as v
from suite import Case, In, Out

FAMILY = "reduce"


@triton.jit
def reduce_both_axes(x, rows, columns, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(rows + i, OP(a, 1))
    tl.store(columns + j, OP(a, 0))


@triton.jit
def extreme_with_index(x, value, index, first, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    best, at = OP(a, 1, return_indices=True)
    tl.store(value + i, best)
    tl.store(index + i, at)
    lowest, where = OP(a, 0, return_indices=True, return_indices_tie_break_left=True)
    tl.store(first + j, where + 0 * lowest.to(tl.int32))


@triton.jit
def all_of_a_tile(x, out, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out, OP(tl.load(x + at)))


@triton.jit
def middle_axis(x, out, L: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j, k = tl.arange(0, L), tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + (i[:, None, None] * M + j[None, :, None]) * N + k[None, None, :])
    tl.store(out + i[:, None] * N + k[None, :], tl.sum(a, 1))


@triton.jit
def product_of(a, b):
    return a * b


@triton.jit
def or_of(a, b):
    return a | b


@triton.jit
def later_nonzero(a, b):
    return tl.where(b != 0, b, a)


@triton.jit
def bounded_sum(a, b):
    return tl.minimum(a + b, 1000)


@triton.jit
def product_rows(a):
    return tl.reduce(a, 1, product_of)


@triton.jit
def or_rows(a):
    return tl.reduce(a, 1, or_of)


@triton.jit
def bounded_sum_rows(a):
    return tl.reduce(a, 1, bounded_sum)


@triton.jit
def custom_reduce(x, out, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tl.store(out + i, OP(tl.load(x + i[:, None] * N + j[None, :])))


@triton.jit
def two_sums(n1, m1, n2, m2):
    return n1 + n2, m1 + m2


@triton.jit
def longest(score1, index1, score2, index2):
    """The larger score, and of equals the smaller index."""
    second = (score2 > score1) | ((score2 == score1) & (index2 < index1))
    return tl.where(second, score2, score1), tl.where(second, index2, index1)


@triton.jit
def longest_rows(a, b):
    return tl.reduce((a, b), 1, longest)


@triton.jit
def two_sums_rows(a, b):
    return tl.reduce((a, b), 1, two_sums)


@triton.jit
def pair_reduce(x, y, out, second, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    at = i[:, None] * N + j[None, :]
    a, b = OP(tl.load(x + at), tl.load(y + at))
    tl.store(out + i, a)
    tl.store(second + i, b)


@triton.jit
def triple(l1, h1, s1, l2, h2, s2):
    return tl.minimum(l1, l2), tl.maximum(h1, h2), s1 + s2


@triton.jit
def triple_reduce(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    low, high, total = tl.reduce((a, a, a), 1, triple)
    tl.store(out + i, low)
    tl.store(out + M + i, high)
    tl.store(out + 2 * M + i, total)


@triton.jit
def sum_of(a, b):
    return a + b


@triton.jit
def max_of(a, b):
    return tl.maximum(a, b)


@triton.jit
def sum_scan(a, REVERSE: tl.constexpr):
    return tl.associative_scan(a, 1, sum_of, reverse=REVERSE)


@triton.jit
def max_scan(a, REVERSE: tl.constexpr):
    return tl.associative_scan(a, 1, max_of, reverse=REVERSE)


@triton.jit
def or_scan(a, REVERSE: tl.constexpr):
    return tl.associative_scan(a, 1, or_of, reverse=REVERSE)


@triton.jit
def nonzero_scan(a, REVERSE: tl.constexpr):
    return tl.associative_scan(a, 1, later_nonzero, reverse=REVERSE)


@triton.jit
def scan_rows(x, out, OP: tl.constexpr, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, OP(tl.load(x + at), REVERSE))


@triton.jit
def compose(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def linear_recurrence(a, b, out, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    _, y = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 1, compose, reverse=REVERSE)
    tl.store(out + at, y)


@triton.jit
def segment(v1, f1, v2, f2):
    return tl.where(f2 != 0, v2, v1 + v2), f1 | f2


@triton.jit
def segmented_sum(x, flags, out, N: tl.constexpr):
    i = tl.arange(0, N)
    s, _ = tl.associative_scan((tl.load(x + i), tl.load(flags + i)), 0, segment)
    tl.store(out + i, s)


@triton.jit
def scan_columns(x, sums, products, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(sums + at, tl.cumsum(a, 0))
    tl.store(products + at, tl.cumprod(a, 0, reverse=True))


@triton.jit
def sort_rows(x, out, DOWN: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), 1, descending=DOWN))


@triton.jit
def top_of_rows(x, out, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, k = tl.arange(0, M), tl.arange(0, K)
    a = tl.load(x + i[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + i[:, None] * K + k[None, :], tl.topk(a, K))


@triton.jit
def sort_with_index(x, out, N: tl.constexpr):
    """Value and index in one 64-bit key."""
    i = tl.arange(0, N)
    key = (tl.load(x + i).to(tl.int64) << 32) | i
    tl.store(out + i, tl.sort(key) & 0xFFFFFFFF)


@triton.jit
def histogram_of(x, out, BINS: tl.constexpr, N: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, N)), BINS))


@triton.jit
def masked_histogram(x, out, limit, BINS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + i), BINS, mask=i < limit))


@triton.jit
def rank_by_counting(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i)[:, None], tl.load(x + i)[None, :]
    before = (b < a) | ((b == a) & (i[None, :] < i[:, None]))
    tl.store(out + i, tl.sum(before.to(tl.int32), 1))


@triton.jit
def mean_and_deviation(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    mean = tl.sum(a, 1) / N
    d = a - mean[:, None]
    tl.store(out + i, mean)
    tl.store(out + M + i, tl.sqrt_rn(tl.sum(d * d, 1) / N))


@triton.jit
def welford(m1, s1, n1, m2, s2, n2):
    n = n1 + n2
    d = m2 - m1
    part = tl.where(n == 0.0, 0.0, n2 / n)
    return m1 + d * part, s1 + s2 + d * d * n1 * part, n


@triton.jit
def variance_by_welford(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    _, s, n = tl.reduce((a, tl.zeros_like(a), tl.full(a.shape, 1.0, tl.float32)), 1, welford)
    tl.store(out + i, s / n)


M, N = 16, 64


def over_axes(op, kinds, out=None, ulps=0, values=None, name=None):
    """Rows and columns of a 16 x 64 tile."""
    values = values or (lambda kind: v.mixed(kind, M * N, 1))
    return [
        Case(
            FAMILY,
            f"{name or op.__name__}.{kind}",
            reduce_both_axes,
            lambda kind=kind: [In(values(kind)), Out(out or kind, M), Out(out or kind, N)],
            constants={"OP": op, "M": M, "N": N},
            ulps=ulps,
        )
        for kind in kinds
    ]


def tile_case(kernel, kind, outputs, values, ulps=0, name=None, numbers=(), **constants):
    return Case(
        FAMILY,
        f"{name or kernel.__name__}.{kind}",
        kernel,
        lambda: [*[In(value(kind)) for value in values], *[Out(*out) for out in outputs], *numbers],
        constants={"M": M, "N": N, **constants},
        ulps=ulps,
    )


def flat_case(kernel, kind, outputs, values, count, name=None, numbers=(), **constants):
    return Case(
        FAMILY,
        f"{name or kernel.__name__}.{kind}",
        kernel,
        lambda: [*[In(value) for value in values()], *[Out(*out) for out in outputs], *numbers],
        constants={"N": count, **constants},
    )


def any_bits(kind):
    return v.mixed(kind, M * N, 1)


def whole(kind):
    return v.small(kind, M * N, 1)


def few(kind):
    """Many ties."""
    return v.small(kind, M * N, 2, 0, 5)


def no_nan(kind):
    """Comparisons order everything but NaN, whose place depends on the layout."""
    value = v.spread(kind, M * N, 1, 8) if v.TORCH[kind].is_floating_point else any_bits(kind)
    return value


def ones(kind):
    return v.as_kind(kind, [1, -1] * (M * N // 2))


def near_one(kind):
    return v.draw(kind, M * N, 1, 0.5, 1.5)


CASES = [
    *over_axes(tl.sum, v.INTEGERS, name="sum", out=None),
    *over_axes(tl.sum, v.FLOATS, values=whole, name="sum_of_whole_numbers"),
    *over_axes(tl.sum, ["f32", "f64"], values=near_one, ulps=4, name="sum_of_positive_numbers"),
    *over_axes(tl.max, [*v.INTEGERS, *v.FLOATS], name="max"),
    *over_axes(tl.min, [*v.INTEGERS, *v.FLOATS], name="min"),
    *over_axes(tl.xor_sum, ["i32", "u32", "i64", "u8"], name="xor_sum"),
    *over_axes(tl.reduce_or, ["i32", "u32"], name="reduce_or"),
    *over_axes(tl.argmax, ["i32", "f32", "f16"], out="i32", values=few, name="argmax_with_ties"),
    *over_axes(tl.argmin, ["i32", "f32", "bf16"], out="i32", values=few, name="argmin_with_ties"),
    *[
        tile_case(extreme_with_index, kind, [(kind, M), ("i32", M), ("i32", N)], [few], OP=op, name=f"{name}_and_index")
        for op, name in ((tl.max, "max"), (tl.min, "min"))
        for kind in ("i32", "f32")
    ],
    *[
        tile_case(all_of_a_tile, kind, [(kind, 1)], [whole], OP=tl.sum, name="sum_of_a_tile")
        for kind in ("i32", "f32", "f64")
    ],
    *[
        tile_case(all_of_a_tile, kind, [(kind, 1)], [any_bits], OP=tl.max, name="max_of_a_tile")
        for kind in ("i32", "f32")
    ],
    *[
        tile_case(custom_reduce, kind, [(kind, M)], [ones], OP=product_rows, name="product")
        for kind in ("i32", "f32", "f16")
    ],
    *[tile_case(custom_reduce, kind, [(kind, M)], [any_bits], OP=or_rows, name="or") for kind in ("i32", "u8")],
    tile_case(custom_reduce, "i32", [("i32", M)], [few], OP=bounded_sum_rows, name="bounded_sum"),
    tile_case(pair_reduce, "i32", [("i32", M), ("i32", M)], [few, whole], OP=longest_rows, name="best_pair"),
    tile_case(pair_reduce, "f32", [("f32", M), ("f32", M)], [few, whole], OP=longest_rows, name="best_pair"),
    tile_case(pair_reduce, "i64", [("i64", M), ("i64", M)], [few, whole], OP=two_sums_rows, name="two_sums"),
    *[tile_case(triple_reduce, kind, [(kind, 3 * M)], [whole]) for kind in ("i32", "f32")],
    *[
        tile_case(
            scan_rows,
            kind,
            [(kind, M * N)],
            [whole],
            OP=sum_scan,
            REVERSE=reverse,
            name=f"cumulative_sum_{'back' if reverse else 'on'}",
        )
        for kind in ("i32", "i64", "u8", "f32", "f16", "f64")
        for reverse in (False, True)
    ],
    *[
        tile_case(scan_rows, kind, [(kind, M * N)], [no_nan], OP=max_scan, REVERSE=False, name="running_maximum")
        for kind in ("i32", "f32", "f64")
    ],
    *[
        tile_case(scan_rows, kind, [(kind, M * N)], [any_bits], OP=or_scan, REVERSE=True, name="running_or")
        for kind in ("u32", "i16")
    ],
    *[
        tile_case(
            scan_rows, "i32", [("i32", M * N)], [few], OP=nonzero_scan, REVERSE=reverse, name=f"fill_zeros_{reverse}"
        )
        for reverse in (False, True)
    ],
    *[
        tile_case(
            linear_recurrence, kind, [(kind, M * N)], [ones, whole], REVERSE=reverse, name=f"recurrence_{reverse}"
        )
        for kind in ("i32", "f32")
        for reverse in (False, True)
    ],
    tile_case(
        linear_recurrence,
        "f32",
        [("f32", M * N)],
        [lambda kind: v.draw(kind, M * N, 1, 0.1, 0.9), lambda kind: v.draw(kind, M * N, 2, 0.0, 1.0)],
        ulps=4,
        REVERSE=False,
        name="recurrence_of_fractions",
    ),
    flat_case(
        segmented_sum,
        "i32",
        [("i32", 512)],
        lambda: [v.small("i32", 512, 1), (v.small("i32", 512, 2, 0, 9) == 0).int()],
        512,
    ),
    *[tile_case(scan_columns, kind, [(kind, M * N)] * 2, [ones]) for kind in ("i32", "f32")],
    *[
        tile_case(sort_rows, kind, [(kind, M * N)], [no_nan], DOWN=down, name=f"sort_{'down' if down else 'up'}")
        for kind in ("i32", "u32", "i64", "i16", "u8", "f32", "f16", "bf16")
        for down in (False, True)
    ],
    *[tile_case(top_of_rows, kind, [(kind, M * 8)], [no_nan], K=8) for kind in ("i32", "f32", "u16")],
    flat_case(sort_with_index, "i32", [("i64", 256)], lambda: [v.small("i32", 256, 1, -20, 20)], 256),
    flat_case(histogram_of, "i32", [("i32", 32)], lambda: [v.small("i32", 1024, 1, 0, 32)], 1024, BINS=32),
    flat_case(
        masked_histogram, "i32", [("i32", 64)], lambda: [v.small("i32", 512, 1, 0, 64)], 512, numbers=[301], BINS=64
    ),
    flat_case(rank_by_counting, "i32", [("i32", 64)], lambda: [v.small("i32", 64, 1, 0, 20)], 64),
    Case(
        FAMILY,
        "middle_axis.f32",
        middle_axis,
        lambda: [In(v.small("f32", 8 * 16 * 8, 1)), Out("f32", 64)],
        constants={"L": 8, "M": 16, "N": 8},
    ),
    tile_case(mean_and_deviation, "f32", [("f32", 2 * M)], [near_one], ulps=4),
    tile_case(variance_by_welford, "f32", [("f32", M)], [near_one], ulps=4),
]
