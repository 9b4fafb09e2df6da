# SPDX-License-Identifier: Apache-2.0
"""Tensor descriptors (TMA on the GPU): load, store and reduce at the edges. All exact.

Gather and scatter are not here: an H200 has no instructions for them (they begin with sm_100).
"""

import triton
import triton.language as tl
import values as v
from suite import Both, Case, Described, In, Out

FAMILY = "descriptor"


@triton.jit
def copy_tiles(x, out, rows, columns, M: tl.constexpr, N: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [M, N])
    b = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [M, N])
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    b.store([i, j], a.load([i, j]))


@triton.jit
def shifted_load(x, out, rows, columns, i, j, M: tl.constexpr, N: tl.constexpr):
    """A window that hangs over the edges: zeros come from outside."""
    a = tl.make_tensor_descriptor(x, [rows, columns], [columns, 1], [M, N])
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, a.load([i, j]))


@triton.jit
def shifted_store(x, out, rows, columns, i, j, M: tl.constexpr, N: tl.constexpr):
    b = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [M, N])
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    b.store([i, j], tl.load(x + at))


@triton.jit
def three_axes(x, out, L, M, N, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    d = tl.make_tensor_descriptor(x, [L, M, N], [M * N, N, 1], [A, B, C])
    e = tl.make_tensor_descriptor(out, [L, M, N], [M * N, N, 1], [A, B, C])
    i, j, k = tl.program_id(0) * A, tl.program_id(1) * B, tl.program_id(2) * C
    e.store([i, j, k], d.load([i, j, k]) + 1)


@triton.jit
def reduce_add(x, out, rows, columns, i, j, M: tl.constexpr, N: tl.constexpr):
    d = tl.make_tensor_descriptor(out, [rows, columns], [columns, 1], [M, N])
    d.atomic_add([i, j], tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]))


@triton.jit
def reduce_extremes(x, low, high, rows, columns, i, j, M: tl.constexpr, N: tl.constexpr):
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.make_tensor_descriptor(low, [rows, columns], [columns, 1], [M, N]).atomic_min([i, j], tile)
    tl.make_tensor_descriptor(high, [rows, columns], [columns, 1], [M, N]).atomic_max([i, j], tile)


@triton.jit
def reduce_bits(x, all_of, any_of, odd_of, rows, columns, i, j, M: tl.constexpr, N: tl.constexpr):
    tile = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.make_tensor_descriptor(all_of, [rows, columns], [columns, 1], [M, N]).atomic_and([i, j], tile)
    tl.make_tensor_descriptor(any_of, [rows, columns], [columns, 1], [M, N]).atomic_or([i, j], tile)
    tl.make_tensor_descriptor(odd_of, [rows, columns], [columns, 1], [M, N]).atomic_xor([i, j], tile)


@triton.jit
def host_made(a, b, M: tl.constexpr):
    row = tl.program_id(0) * M
    b.store([row, 0], a.load([row, 0]) * 2)


@triton.jit
def matmul_by_descriptors(a, b, c, rows, columns, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [rows, depth], [depth, 1], [M, K])
    db = tl.make_tensor_descriptor(b, [depth, columns], [columns, 1], [K, N])
    dc = tl.make_tensor_descriptor(c, [rows, columns], [columns, 1], [M, N])
    i, j = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for k in range(0, depth, K):
        total = tl.dot(da.load([i, k]), db.load([k, j]), total)
    dc.store([i, j], total)


def case(kernel, kind, arguments, grid=(1,), name=None, **constants):
    return Case(FAMILY, f"{name or kernel.__name__}.{kind}", kernel, arguments, grid, constants)


def rows_out(kind):
    return Both(v.bits(kind, 20 * 64, 9).reshape(20, 64))


KINDS = ("i32", "f16", "f32", "u8", "bf16", "i64")
# An H200 stops, too, at a load whose row begins at no multiple of 16 bytes.
PLACES = ((0, 0), (-2, -8), (14, 40), (-2, 0), (4, -16))
CASES = [
    *[
        case(copy_tiles, k, lambda k=k: [In(v.bits(k, 40 * 96, 1)), Out(k, 40 * 96), 40, 96], (3, 3), M=16, N=32)
        for k in KINDS
    ],
    *[
        case(
            shifted_load,
            k,
            lambda k=k, p=p: [In(v.bits(k, 20 * 64, 1)), Out(k, 16 * 32), 20, 64, *p],
            name=f"shifted_load_{n}",
            M=16,
            N=32,
        )
        for k in ("f16", "i32")
        for n, p in enumerate(PLACES)
    ],
    *[
        case(
            shifted_store,
            k,
            lambda k=k, p=p: [In(v.bits(k, 16 * 32, 1)), rows_out(k), 20, 64, *p],
            name=f"shifted_store_{n}",
            M=16,
            N=32,
        )
        for k in ("f16", "i32")
        for n, p in enumerate(PLACES)
        if min(p) >= 0  # an H200 stops at a store that begins before the tensor
    ],
    case(
        three_axes,
        "i32",
        lambda: [In(v.small("i32", 4 * 12 * 32, 1)), Out("i32", 4 * 12 * 32), 4, 12, 32],
        (2, 2, 2),
        A=2,
        B=8,
        C=16,
    ),
    *[
        case(
            reduce_add,
            k,
            lambda k=k, p=p: [In(v.small(k, 8 * 16, 1)), Both(v.small(k, 16 * 32, 2).reshape(16, 32)), 16, 32, *p],
            name=f"reduce_add_{n}",
            M=8,
            N=16,
        )
        for k in ("i32", "u32", "u64", "f32", "f16", "bf16")
        for n, p in enumerate(((0, 0), (12, 24)))
    ],
    *[
        case(
            reduce_extremes,
            k,
            lambda k=k: [
                In(v.small(k, 8 * 16, 1)),
                *[Both(v.small(k, 16 * 32, 2).reshape(16, 32)) for _ in range(2)],
                16,
                32,
                4,
                8,
            ],
            M=8,
            N=16,
        )
        for k in ("i32", "u32", "i64", "u64", "f16", "bf16")
    ],
    *[
        case(
            reduce_bits,
            k,
            lambda k=k: [
                In(v.bits(k, 8 * 16, 1)),
                *[Both(v.bits(k, 16 * 32, 2).reshape(16, 32)) for _ in range(3)],
                16,
                32,
                4,
                8,
            ],
            M=8,
            N=16,
        )
        for k in ("i32", "u32", "u64")
    ],
    case(
        host_made,
        "f32",
        lambda: [
            Described(In(v.small("f32", 40 * 32, 1).reshape(40, 32)), (16, 32)),
            Described(Out("f32", 40, 32), (16, 32)),
        ],
        (3,),
        M=16,
    ),
    case(
        matmul_by_descriptors,
        "f16",
        lambda: [In(v.small("f16", 40 * 48, 1)), In(v.small("f16", 48 * 72, 2)), Out("f32", 40 * 72), 40, 72, 48],
        (2, 3),
        M=32,
        N=32,
        K=16,
    ),
]
