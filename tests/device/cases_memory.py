# SPDX-License-Identifier: Apache-2.0
"""Loads and stores: masks, strides, gathers, stored addresses, cache words, block pointers. All exact."""

import torch
import triton
import triton.language as tl
import values as v
from suite import Both, Case, In, Out

FAMILY = "memory"


@triton.jit
def masked_copy(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n, other=7), mask=i < n + 3)


@triton.jit
def load_without_other(x, out, n, N: tl.constexpr):
    """Lanes left open hold zero, as PTX gives them."""
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=i < n))


@triton.jit
def checkerboard(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i, mask=(i & 1) == 0, other=1) * 2, mask=(i % 3) != 1)


@triton.jit
def strided_tile(x, out, rows, columns, row_stride, column_stride, M: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    j = tl.program_id(1) * N + tl.arange(0, N)[None, :]
    m = (i < rows) & (j < columns)
    tl.store(out + i * columns + j, tl.load(x + i * row_stride + j * column_stride, mask=m, other=0), mask=m)


@triton.jit
def stencil(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    left = tl.load(x + i - 1, mask=(i > 0) & (i <= n), other=0)
    right = tl.load(x + i + 1, mask=i < n - 1, other=0)
    tl.store(out + i, left - right, mask=i < n)


@triton.jit
def gather_elements(x, index, out, n, size, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    at = tl.load(index + i, mask=i < n, other=0)
    tl.store(out + i, tl.load(x + at, mask=(at >= 0) & (at < size), other=-1), mask=i < n)


@triton.jit
def scatter_elements(x, index, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + tl.load(index + i, mask=i < n, other=0), tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def gather_rows(table, index, out, width, R: tl.constexpr, N: tl.constexpr):
    r, j = tl.arange(0, R), tl.arange(0, N)
    at = tl.load(index + r)
    tl.store(
        out + r[:, None] * width + j[None, :],
        tl.load(table + at[:, None] * width + j[None, :], mask=j[None, :] < width),
        mask=j[None, :] < width,
    )


@triton.jit
def wrapped_rows(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = (tl.arange(0, M) * 3 + 5) % 11, (tl.arange(0, N) + 9) % N
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], tl.load(x + i[:, None] * N + j[None, :]))


@triton.jit
def cached(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i, cache_modifier=".cg") + tl.load(x + i, eviction_policy="evict_last")
    a += tl.load(x + i, cache_modifier=".ca") + tl.load(x + i, volatile=True)
    tl.store(out + i, a, cache_modifier=".wb")
    tl.store(out + N + i, a, cache_modifier=".cs")
    tl.store(out + 2 * N + i, a, eviction_policy="evict_first")


@triton.jit
def scalars(x, out):
    p = tl.program_id(0)
    tl.store(out + p, tl.load(x + p) * 2 + tl.load(x))


@triton.jit
def grid_places(out, N: tl.constexpr):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = (z * tl.num_programs(1) + y) * tl.num_programs(0) + x
    tl.store(out + at * N + tl.arange(0, N), x + 10 * y + 100 * z + 1000 * tl.arange(0, N))


@triton.jit
def stored_addresses(x, out, N: tl.constexpr):
    """An address as a number, moved and made a pointer again."""
    i = tl.arange(0, N)
    address = (x + i).to(tl.int64) + 8
    tl.store(out + i, tl.load(address.to(tl.pointer_type(tl.int32)), mask=i < N - 2, other=0))


@triton.jit
def bytes_of_words(x, out, N: tl.constexpr):
    p = x.to(tl.pointer_type(tl.uint8), bitcast=True)
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(p + i).to(tl.int32))


@triton.jit
def in_place(x, trips, N: tl.constexpr):
    i = tl.arange(0, N)
    for k in range(trips):
        tl.store(x + i, tl.load(x + i) * 3 + k)


@triton.jit
def long_offsets(x, out, N: tl.constexpr):
    i = tl.arange(0, N).to(tl.int64)
    base = tl.program_id(0).to(tl.int64) * N
    tl.store(out + base + i, tl.load(x + (base + (N - 1 - i))))


@triton.jit
def select_pointers(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(tl.where(i % 2 == 0, x + i, y + i)))


@triton.jit
def block_pointer_copy(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_block_ptr(x, (rows, columns), (columns, 1), (tl.program_id(0) * M, 0), (M, N), (1, 0))
    b = tl.make_block_ptr(out, (rows, columns), (columns, 1), (tl.program_id(0) * M, 0), (M, N), (1, 0))
    for _ in range(0, columns, N):
        tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
        tl.store(b, tile + 1, boundary_check=(0, 1))
        a, b = tl.advance(a, (0, N)), tl.advance(b, (0, N))


@triton.jit
def block_pointer_transposed(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_block_ptr(x, (columns, rows), (1, columns), (0, tl.program_id(0) * M), (N, M), (0, 1))
    tile = tl.load(a, boundary_check=(0, 1), padding_option="zero")
    j, i = tl.arange(0, N), tl.program_id(0) * M + tl.arange(0, M)
    tl.store(out + j[:, None] * rows + i[None, :], tile, mask=(j[:, None] < columns) & (i[None, :] < rows))


@triton.jit
def block_pointer_padding(x, out, n, N: tl.constexpr):
    a = tl.make_block_ptr(x, (n,), (1,), (3,), (N,), (0,))
    tl.store(out + tl.arange(0, N), tl.load(a, boundary_check=(0,), padding_option="nan"))


@triton.jit
def window_sums(x, out, n, WIDTH: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)[:, None]
    k = tl.arange(0, WIDTH)[None, :]
    a = tl.load(x + i + k, mask=i + k < n, other=0)
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.sum(a, 1), mask=at < n)


@triton.jit
def bool_tensors(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, (a & ~b) | (b ^ a))


@triton.jit
def unaligned_view(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + 1 + i, tl.load(x + 3 + i) - tl.load(x + i))


def case(kernel, kind, arguments, grid=(1,), name=None, **constants):
    return Case(FAMILY, f"{name or kernel.__name__}.{kind}", kernel, arguments, grid, constants)


def permutation(n, seed):
    return torch.from_numpy(v.raw(n, seed).argsort(kind="stable").astype("int32"))


KINDS = ("i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64")
CASES = [
    *[case(masked_copy, k, lambda k=k: [In(v.bits(k, 1000, 1)), Out(k, 1024), 1000], (4,), N=256) for k in KINDS],
    *[case(load_without_other, k, lambda k=k: [In(v.bits(k, 100, 1)), Out(k, 128), 100], N=128) for k in KINDS],
    *[case(checkerboard, k, lambda k=k: [In(v.small(k, 256, 1)), Out(k, 256)], N=256) for k in ("i32", "f16", "u8")],
    *[
        case(
            strided_tile,
            k,
            lambda k=k: [In(v.bits(k, 50 * 120, 1)), Out(k, 50 * 40), 50, 40, 120, 3],
            (4, 2),
            M=16,
            N=32,
        )
        for k in ("i8", "f16", "f32", "i64")
    ],
    case(
        strided_tile,
        "f32",
        lambda: [In(v.bits("f32", 50 * 40, 1)), Out("f32", 50 * 40), 50, 40, 1, 50],
        (4, 2),
        "transposed_tile",
        M=16,
        N=32,
    ),
    *[
        case(stencil, k, lambda k=k: [In(v.small(k, 1000, 1)), Out(k, 1000), 1000], (8,), N=128)
        for k in ("i32", "f32", "f16")
    ],
    *[
        case(
            gather_elements,
            k,
            lambda k=k: [In(v.bits(k, 50, 1)), In(v.small("i64", 1000, 2, -5, 55)), Out(k, 1000), 1000, 50],
            (8,),
            N=128,
        )
        for k in ("i32", "f16", "i64")
    ],
    *[
        case(
            scatter_elements,
            k,
            lambda k=k: [In(v.bits(k, 1000, 1)), In(permutation(1000, 2)), Out(k, 1000), 1000],
            (8,),
            N=128,
        )
        for k in ("i16", "f32", "f64")
    ],
    case(
        gather_rows,
        "f16",
        lambda: [In(v.bits("f16", 20 * 60, 1)), In(v.small("i32", 16, 2, 0, 20)), Out("f16", 16 * 60), 60],
        R=16,
        N=64,
    ),
    case(wrapped_rows, "i32", lambda: [In(v.bits("i32", 11 * 64, 1)), Out("i32", 16 * 64)], M=16, N=64),
    case(cached, "i32", lambda: [In(v.bits("i32", 256, 1)), Out("i32", 768)], N=256),
    case(scalars, "i64", lambda: [In(v.bits("i64", 16, 1)), Out("i64", 16)], (16,)),
    case(grid_places, "i32", lambda: [Out("i32", 3 * 5 * 2 * 8)], (3, 5, 2), N=8),
    case(stored_addresses, "i32", lambda: [In(v.bits("i32", 64, 1)), Out("i32", 64)], N=64),
    case(bytes_of_words, "i32", lambda: [In(v.bits("i32", 64, 1)), Out("i32", 256)], N=256),
    case(in_place, "i32", lambda: [Both(v.bits("i32", 64, 1)), 5], N=64),
    case(long_offsets, "u8", lambda: [In(v.bits("u8", 1024, 1)), Out("u8", 1024)], (4,), N=256),
    case(select_pointers, "f32", lambda: [In(v.bits("f32", 64, 1)), In(v.bits("f32", 64, 2)), Out("f32", 64)], N=64),
    *[
        case(block_pointer_copy, k, lambda k=k: [In(v.small(k, 37 * 70, 1)), Out(k, 37 * 70), 37, 70], (3,), M=16, N=32)
        for k in ("i32", "f16", "f32")
    ],
    case(
        block_pointer_transposed,
        "f32",
        lambda: [In(v.bits("f32", 37 * 30, 1)), Out("f32", 37 * 30), 37, 30],
        (3,),
        M=16,
        N=32,
    ),
    case(block_pointer_padding, "f32", lambda: [In(v.small("f32", 60, 1)), Out("f32", 64), 60], N=64),
    case(window_sums, "i32", lambda: [In(v.small("i32", 500, 1)), Out("i32", 500), 500], (4,), WIDTH=8, N=128),
    case(bool_tensors, "bool", lambda: [In(v.bits("bool", 64, 1)), In(v.bits("bool", 64, 2)), Out("bool", 64)], N=64),
    case(unaligned_view, "i16", lambda: [In(v.bits("i16", 131, 1)), Out("i16", 129)], N=128),
]
