# SPDX-License-Identifier: Apache-2.0
"""Atomics of every kind, meaning, scope and width, used so that the result does not depend on the order. All exact."""

import torch
import triton
import triton.language as tl
import values as v
from suite import Both, Case, In, Out

FAMILY = "atomic"


@triton.jit
def update(target, value, old, OP: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr, N: tl.constexpr):
    """Each element by one lane: old values and results are fixed."""
    i = tl.arange(0, N)
    tl.store(old + i, OP(target + i, tl.load(value + i), sem=SEM, scope=SCOPE))


@triton.jit
def masked_update(target, value, n, OP: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    OP(target + i, tl.load(value + i), mask=(i < n) & (i % 3 != 0))


@triton.jit
def compare_and_swap(target, wanted, value, old, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old + i, tl.atomic_cas(target + i, tl.load(wanted + i), tl.load(value + i)))


@triton.jit
def collide(target, value, n, OP: tl.constexpr, BINS: tl.constexpr, N: tl.constexpr):
    """Many lanes of many programs into few places, by operations whose order does not matter."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    OP(target + (i * 7) % BINS, tl.load(value + i, mask=i < n, other=0), mask=i < n)


@triton.jit
def histogram(x, bins, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(bins + tl.load(x + i, mask=i < n, other=0), 1, mask=i < n, sem="relaxed")


@triton.jit
def sum_of_all(x, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0), 0))


@triton.jit
def scalar_tickets(ticket, seen):
    """Each program takes a number: which one is open, that each is taken once is not."""
    tl.atomic_add(seen + tl.atomic_add(ticket, 1), 1)


@triton.jit
def locked_sum(x, total, lock, n, N: tl.constexpr):
    i = tl.arange(0, N)
    part = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=0.0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total + i, tl.load(total + i, mask=i < n, other=0.0) + part, mask=i < n)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def last_one_finishes(x, parts, ticket, out, n, PROGRAMS: tl.constexpr, N: tl.constexpr):
    p = tl.program_id(0)
    i = p * N + tl.arange(0, N)
    tl.store(parts + p, tl.sum(tl.load(x + i, mask=i < n, other=0), 0))
    tl.debug_barrier()
    if tl.atomic_add(ticket, 1) == PROGRAMS - 1:
        tl.store(out, tl.sum(tl.load(parts + tl.arange(0, PROGRAMS), volatile=True), 0))


@triton.jit
def work_queue(x, out, head, n, N: tl.constexpr):
    tiles = tl.cdiv(n, N)
    tile = tl.atomic_add(head, 1)
    while tile < tiles:
        i = tile * N + tl.arange(0, N)
        tl.store(out + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)
        tile = tl.atomic_add(head, 1)


@triton.jit
def maximum_by_swapping(x, out, n, N: tl.constexpr):
    """The classic loop of compare-and-swap."""
    i = tl.program_id(0) * N + tl.arange(0, N)
    best = tl.max(tl.load(x + i, mask=i < n, other=-2147483648), 0)
    seen = tl.load(out, volatile=True)
    while seen < best:
        before = tl.atomic_cas(out, seen, best)
        seen = tl.where(before == seen, best, before)


KINDS = {
    tl.atomic_add: "i32 u32 i64 u64 f32 f64 f16 bf16",
    tl.atomic_max: "i32 u32 i64 u64 f32",
    tl.atomic_min: "i32 u32 i64 u64 f32",
    tl.atomic_and: "i32 u32 i64 u64",
    tl.atomic_or: "i32 u32 i64 u64",
    tl.atomic_xor: "i32 u32 i64 u64",
    tl.atomic_xchg: "i32 u32 i64 f32 f64",
}
BITWISE = (tl.atomic_and, tl.atomic_or, tl.atomic_xor)


def operand(op, kind, seed):
    """Edge values of one operand against those of the other; extremes of f32 go by the bits, where NaN has no place."""
    if kind == "f32" and op in (tl.atomic_max, tl.atomic_min):
        return v.spread(kind, 256, seed)
    return v.mixed(kind, 256, seed)


def update_case(op, kind, sem, scope):
    return Case(
        FAMILY,
        f"{op.__name__}_{sem}_{scope}.{kind}",
        update,
        lambda: [Both(operand(op, kind, 1)), In(operand(op, kind, 2)), Out(kind, 256)],
        constants={"OP": op, "SEM": sem, "SCOPE": scope, "N": 256},
    )


def case(kernel, kind, arguments, grid=(1,), name=None, **constants):
    return Case(FAMILY, f"{name or kernel.__name__}.{kind}", kernel, arguments, grid, constants)


def zeros(kind, *shape):
    return Both(torch.zeros(shape, dtype=v.TORCH[kind]))


def half_known(kind, seed):
    """What compare-and-swap looks for: every other element is there."""
    there, other = v.bits(kind, 256, 1), v.bits(kind, 256, seed)
    words = v.words_of(there).copy()
    words[::2] = v.words_of(other)[::2]
    return v.tensor(kind, words)


CASES = [
    *[update_case(op, kind, "acq_rel", "gpu") for op, kinds in KINDS.items() for kind in kinds.split()],
    *[
        update_case(op, "i32", sem, scope)
        for op in KINDS
        for sem, scope in (
            ("relaxed", "gpu"),
            ("acquire", "cta"),
            ("release", "sys"),
            ("relaxed", "cta"),
            ("acq_rel", "sys"),
        )
    ],
    *[
        case(
            masked_update,
            kind,
            lambda op=op, kind=kind: [Both(operand(op, kind, 1)), In(operand(op, kind, 2)), 200],
            name=f"masked_{op.__name__}",
            OP=op,
            N=256,
        )
        for op, kind in (
            (tl.atomic_add, "i32"),
            (tl.atomic_add, "f16"),
            (tl.atomic_max, "i64"),
            (tl.atomic_xor, "u32"),
            (tl.atomic_max, "f32"),
        )
    ],
    *[
        case(
            compare_and_swap,
            kind,
            lambda kind=kind: [
                Both(v.bits(kind, 256, 1)),
                In(half_known(kind, 2)),
                In(v.bits(kind, 256, 3)),
                Out(kind, 256),
            ],
            N=256,
        )
        for kind in ("i32", "i64", "u32", "u64", "i16")
    ],
    *[
        case(
            collide,
            kind,
            lambda kind=kind, op=op: [Both(v.small(kind, 16, 3)), In(v.small(kind, 1000, 1, 0, 100)), 1000],
            (4,),
            name=f"colliding_{op.__name__}",
            OP=op,
            BINS=16,
            N=256,
        )
        for op, kinds in KINDS.items()
        if op is not tl.atomic_xchg
        for kind in kinds.split()
        if kind not in ("f16", "bf16")
    ],
    *[
        case(
            collide,
            kind,
            lambda kind=kind: [zeros(kind, 16), In(v.small(kind, 512, 1, 0, 2)), 512],
            (4,),
            name="colliding_sum_of_bits",
            OP=tl.atomic_add,
            BINS=16,
            N=128,
        )
        for kind in ("f16", "bf16")
    ],
    case(histogram, "i32", lambda: [In(v.small("i32", 2000, 1, 0, 40)), zeros("i32", 40), 2000], (8,), N=256),
    *[
        case(sum_of_all, k, lambda k=k: [In(v.small(k, 1000, 1)), zeros(k, 1), 1000], (4,), N=256)
        for k in ("f32", "f64")
    ],
    case(scalar_tickets, "i32", lambda: [zeros("i32", 1), zeros("i32", 64)], (64,)),
    case(
        locked_sum,
        "f32",
        lambda: [In(v.small("f32", 40 * 100, 1)), zeros("f32", 100), zeros("i32", 1), 100],
        (40,),
        N=128,
    ),
    case(
        last_one_finishes,
        "i32",
        lambda: [In(v.small("i32", 1000, 1)), zeros("i32", 16), zeros("i32", 1), Out("i32", 1), 1000],
        (16,),
        PROGRAMS=16,
        N=64,
    ),
    case(work_queue, "i32", lambda: [In(v.bits("i32", 1000, 1)), Out("i32", 1000), zeros("i32", 1), 1000], (3,), N=64),
    case(maximum_by_swapping, "i32", lambda: [In(v.bits("i32", 1000, 1)), zeros("i32", 1), 1000], (8,), N=128),
]
