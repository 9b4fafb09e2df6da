# SPDX-License-Identifier: Apache-2.0
"""Shapes: every element must land where the language says. All exact."""

import triton
import triton.language as tl
import values as v
from suite import Case, In, Out, elementwise

FAMILY = "shape"


@triton.jit
def transpose(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(a))


@triton.jit
def permute_three(x, out, L: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    i, j, k = tl.arange(0, L), tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + (i[:, None, None] * M + j[None, :, None]) * N + k[None, None, :])
    b = tl.permute(a, (2, 0, 1))
    tl.store(out + (k[:, None, None] * L + i[None, :, None]) * M + j[None, None, :], b)


@triton.jit
def permute_five(x, out, N: tl.constexpr):
    a = tl.reshape(tl.load(x + tl.arange(0, N)), [2, 4, 2, 8, N // 128])
    tl.store(out + tl.arange(0, N), tl.reshape(tl.permute(a, (3, 1, 4, 0, 2)), [N]))


@triton.jit
def reshape_chain(x, out, N: tl.constexpr):
    a = tl.reshape(tl.load(x + tl.arange(0, N)), [N // 16, 16])
    b = tl.reshape(tl.trans(a), [4, N // 4])
    tl.store(out + tl.arange(0, N), tl.ravel(tl.trans(b)))


@triton.jit
def join_and_split(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    pair = tl.join(a, b)
    tl.store(out + i[:, None] * 2 + tl.arange(0, 2)[None, :], pair)
    even, odd = tl.split(tl.reshape(pair, [N, 2]))
    tl.store(out + 2 * N + i, odd)
    tl.store(out + 3 * N + i, even)


@triton.jit
def interleave(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, 2 * N), tl.interleave(tl.load(x + i), tl.load(y + i)))


@triton.jit
def flip_axes(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(out + at, tl.flip(a, 0))
    tl.store(out + M * N + at, tl.flip(a, 1))


@triton.jit
def concatenate(x, y, out, N: tl.constexpr):
    """Any order is legal: its sum and its extremes are not affected."""
    i = tl.arange(0, N)
    c = tl.cat(tl.load(x + i), tl.load(y + i), can_reorder=True)
    tl.store(out, tl.sum(c, 0))
    tl.store(out + 1, tl.max(c, 0))
    tl.store(out + 2, tl.min(c, 0))


@triton.jit
def outer(x, y, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tl.store(out + i[:, None] * N + j[None, :], tl.load(x + i)[:, None] * tl.load(y + j)[None, :])


@triton.jit
def broadcast_scalars(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    s = tl.load(x)
    tl.store(out + i, tl.broadcast_to(s, [N]) + tl.full([N], 3, tl.int32) * tl.load(x + 1))


@triton.jit
def expand_and_reduce(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    a = tl.load(x + i)
    b = tl.expand_dims(tl.expand_dims(a, 1), 2)
    wide = tl.broadcast_to(b, [M, N, 4])
    tl.store(out + i[:, None] * N + j[None, :], tl.sum(wide, 2))


@triton.jit
def gather_along(x, index, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a, k = tl.load(x + at), tl.load(index + at)
    tl.store(out + at, tl.gather(a, k, 1))
    tl.store(out + M * N + at, tl.gather(a, k % M, 0))


@triton.jit
def shift_lanes(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.gather(a, (i + 5) % N, 0) ^ tl.gather(a, i ^ 3, 0))


@triton.jit
def diagonal_and_triangle(x, out, N: tl.constexpr):
    i, j = tl.arange(0, N)[:, None], tl.arange(0, N)[None, :]
    a = tl.load(x + i * N + j)
    tl.store(out + i * N + j, tl.where(i == j, 0, tl.where(i > j, a, -a)))


@triton.jit
def swizzle(out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    p, q = tl.swizzle2d(i, j, M, N, 4)
    tl.store(out + i * N + j, p * 100 + q)


@triton.jit
def product_of_tiles(x, out, M: tl.constexpr, N: tl.constexpr):
    """A matrix product by broadcasting and a sum."""
    i, j, k = tl.arange(0, M)[:, None, None], tl.arange(0, M)[None, None, :], tl.arange(0, N)[None, :, None]
    a, b = tl.load(x + i * N + k), tl.load(x + j * N + k)
    tl.store(out + tl.arange(0, M)[:, None] * M + tl.arange(0, M)[None, :], tl.sum(a * b, 1))


@triton.jit
def unsplat(x, out, N: tl.constexpr):
    one = tl.load(x + tl.full([1], 3, tl.int32))
    tl.store(out + tl.arange(0, N), tl.arange(0, N) * one.item())


@triton.jit
def branch(a, b):
    if a > b:
        return a - b
    return b * 2


@triton.jit
def map_elements(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(branch, tl.load(x + i), tl.load(y + i)))


@triton.jit
def ranges(out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.arange(N, 2 * N) * 3 - i)


@triton.jit
def zeros_and_likes(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(out + i, tl.zeros_like(a) + tl.zeros([N], out.dtype.element_ty) - a)


@triton.jit
def static_unroll(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros([N], tl.int32)
    for k in tl.static_range(5):
        total = total * 3 + tl.load(x + ((i + k) % N))
    tl.store(out + i, total)


@triton.jit
def halves(a):
    """The two halves of a row swapped, by reshape, split and join."""
    p = tl.permute(tl.reshape(a, [2, a.shape[0] // 2]), (1, 0))
    low, high = tl.split(p)
    return tl.reshape(tl.permute(tl.join(high, low), (1, 0)), [a.shape[0]])


M, N = 16, 64


def case(kernel, kind, inputs, outputs, **constants):
    return Case(
        FAMILY,
        f"{kernel.__name__}.{kind}",
        kernel,
        lambda: [*[In(i) for i in inputs()], *[Out(*o) for o in outputs]],
        constants=constants,
    )


def bits(kind, n, seed=1):
    return lambda: [v.bits(kind, n, seed)]


def two(kind, n):
    return lambda: [v.bits(kind, n, 1), v.bits(kind, n, 2)]


CASES = [
    *[case(transpose, k, bits(k, M * N), [(k, M * N)], M=M, N=N) for k in ("i8", "f16", "f32", "i64")],
    *[case(permute_three, k, bits(k, 1024), [(k, 1024)], L=8, M=16, N=8) for k in ("i16", "f32")],
    *[case(permute_five, k, bits(k, 1024), [(k, 1024)], N=1024) for k in ("u8", "i32")],
    *[case(reshape_chain, k, bits(k, 1024), [(k, 1024)], N=1024) for k in ("i32", "f64")],
    *[case(join_and_split, k, two(k, 256), [(k, 1024)], N=256) for k in ("i32", "bf16", "u8")],
    *[case(interleave, k, two(k, 512), [(k, 1024)], N=512) for k in ("i32", "f16")],
    *[case(flip_axes, k, bits(k, M * N), [(k, 2 * M * N)], M=M, N=N) for k in ("i32", "f32")],
    case(concatenate, "i32", two("i32", 256), [("i32", 3)], N=256),
    *[
        case(outer, k, lambda k=k: [v.small(k, M, 1), v.small(k, N, 2)], [(k, M * N)], M=M, N=N)
        for k in ("i32", "f32", "bf16")
    ],
    case(broadcast_scalars, "i32", bits("i32", 2), [("i32", 128)], N=128),
    *[case(expand_and_reduce, k, lambda k=k: [v.small(k, M, 1)], [(k, M * N)], M=M, N=N) for k in ("i32", "f32")],
    *[
        case(
            gather_along,
            k,
            lambda k=k: [v.bits(k, M * N, 1), v.small("i32", M * N, 2, 0, N)],
            [(k, 2 * M * N)],
            M=M,
            N=N,
        )
        for k in ("i32", "f16", "u8")
    ],
    case(shift_lanes, "i32", bits("i32", 256), [("i32", 256)], N=256),
    case(diagonal_and_triangle, "i32", bits("i32", 1024), [("i32", 1024)], N=32),
    Case(FAMILY, "swizzle.i32", swizzle, lambda: [Out("i32", 1024)], constants={"M": 16, "N": 64}),
    case(product_of_tiles, "f32", lambda: [v.small("f32", 512, 1)], [("f32", 256)], M=16, N=32),
    case(unsplat, "i32", bits("i32", 8), [("i32", 64)], N=64),
    case(map_elements, "i32", two("i32", 256), [("i32", 256)], N=256),
    Case(FAMILY, "ranges.i32", ranges, lambda: [Out("i32", 256)], constants={"N": 256}),
    *[case(zeros_and_likes, k, bits(k, 256), [(k, 256)], N=256) for k in ("i32", "f32")],
    case(static_unroll, "i32", bits("i32", 256), [("i32", 256)], N=256),
    *elementwise(FAMILY, halves, ["i32", "f32"], values=lambda kind, n, seed: v.bits(kind, 512, seed)),
]
