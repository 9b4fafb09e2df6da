# SPDX-License-Identifier: Apache-2.0
"""The kernels of Triton's tutorials in our own words: add, softmax, matmul, dropout, layer norm, attention, grouped
products, persistent products, block-scaled products. Compiled as by default, contraction included."""

import torch
import triton
import triton.language as tl
import values as v
from suite import Both, Case, In, Out

FAMILY = "tutorial"


@triton.jit
def vector_add(x, y, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def softmax(x, out, rows, columns, STAGES: tl.constexpr, N: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        i = tl.arange(0, N)
        a = tl.load(x + row * columns + i, mask=i < columns, other=-float("inf"))
        e = tl.exp(a - tl.max(a, 0))
        tl.store(out + row * columns + i, e / tl.sum(e, 0), mask=i < columns)


@triton.jit
def leaky(a):
    return tl.where(a >= 0, a, 0.0625 * a)


@triton.jit
def matmul(
    a,
    b,
    c,
    M,
    N,
    K,
    sam,
    sak,
    sbk,
    sbn,
    ACTIVATION: tl.constexpr,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    pid, grid_m, grid_n = tl.program_id(0), tl.cdiv(M, BM), tl.cdiv(N, BN)
    width = GROUP * grid_n
    first = pid // width * GROUP
    size = min(grid_m - first, GROUP)
    im, jn = first + pid % width % size, pid % width // size
    rm, rn, rk = (im * BM + tl.arange(0, BM)) % M, (jn * BN + tl.arange(0, BN)) % N, tl.arange(0, BK)
    pa, pb = a + rm[:, None] * sam + rk[None, :] * sak, b + rk[:, None] * sbk + rn[None, :] * sbn
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        x = tl.load(pa, mask=rk[None, :] < K - k * BK, other=0.0)
        y = tl.load(pb, mask=rk[:, None] < K - k * BK, other=0.0)
        total = tl.dot(x, y, total)
        pa += BK * sak
        pb += BK * sbk
    if ACTIVATION:
        total = leaky(total)
    om, on = im * BM + tl.arange(0, BM), jn * BN + tl.arange(0, BN)
    tl.store(
        c + om[:, None] * N + on[None, :], total.to(c.dtype.element_ty), mask=(om[:, None] < M) & (on[None, :] < N)
    )


@triton.jit
def dropout_by_mask(x, keep, out, n, p, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a, k = tl.load(x + i, mask=i < n), tl.load(keep + i, mask=i < n)
    tl.store(out + i, tl.where(k, a / (1 - p), 0.0), mask=i < n)


@triton.jit
def dropout_by_seed(x, out, n, p, seed, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


@triton.jit
def layer_norm(x, out, w, b, mean_out, scale_out, n, eps, N: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([N], tl.float32)
    for start in range(0, n, N):
        i = start + tl.arange(0, N)
        total += tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, 0) / n
    square = tl.zeros([N], tl.float32)
    for start in range(0, n, N):
        i = start + tl.arange(0, N)
        d = tl.where(i < n, tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32) - mean, 0.0)
        square += d * d
    scale = 1 / tl.sqrt(tl.sum(square, 0) / n + eps)
    tl.store(mean_out + row, mean)
    tl.store(scale_out + row, scale)
    for start in range(0, n, N):
        i = start + tl.arange(0, N)
        m = i < n
        a = (tl.load(x + row * n + i, mask=m, other=0.0).to(tl.float32) - mean) * scale
        tl.store(out + row * n + i, a * tl.load(w + i, mask=m) + tl.load(b + i, mask=m), mask=m)


@triton.jit
def layer_norm_backward(dy, x, w, dx, dw, lock, n, GROUPS: tl.constexpr, N: tl.constexpr):
    """Rows of one group add into one row of dw under a spin lock; whole numbers make its order irrelevant."""
    row, i = tl.program_id(0), tl.arange(0, N)
    m = i < n
    a, g = tl.load(x + row * n + i, mask=m, other=0), tl.load(dy + row * n + i, mask=m, other=0)
    weighted = tl.load(w + i, mask=m, other=0) * g
    c1, c2 = tl.sum(a * weighted, 0), tl.sum(weighted, 0)
    tl.store(dx + row * n + i, weighted - (a * c1 + c2) * 0.0078125, mask=m)
    group = row % GROUPS
    part = a * g
    while tl.atomic_cas(lock + group, 0, 1) == 1:
        pass
    count = tl.load(lock + GROUPS + group)
    if count == 0:
        tl.atomic_xchg(lock + GROUPS + group, 1)
    else:
        part += tl.load(dw + group * n + i, mask=m)
    tl.store(dw + group * n + i, part, mask=m)
    tl.debug_barrier()
    tl.atomic_xchg(lock + group, 0)


@triton.jit
def attention(q, k, v, out, scale, n, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    base = tl.program_id(1) * n * D
    om, d = tl.program_id(0) * BM + tl.arange(0, BM), tl.arange(0, D)
    vq = tl.load(q + base + om[:, None] * D + d[None, :], mask=om[:, None] < n, other=0.0)
    top, total = tl.full([BM], -float("inf"), tl.float32), tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    end = min((tl.program_id(0) + 1) * BM, n) if CAUSAL else n
    for start in range(0, end, BN):
        on = start + tl.arange(0, BN)
        vk = tl.load(k + base + on[None, :] * D + d[:, None], mask=on[None, :] < n, other=0.0)
        s = tl.where(on[None, :] < n, tl.dot(vq, vk) * scale, -float("inf"))
        if CAUSAL:
            s = tl.where(om[:, None] >= on[None, :], s, -float("inf"))
        higher = tl.maximum(top, tl.max(s, 1))
        p, fade = tl.exp2(s - higher[:, None]), tl.exp2(top - higher)
        total = total * fade + tl.sum(p, 1)
        vv = tl.load(v + base + on[:, None] * D + d[None, :], mask=on[:, None] < n, other=0.0)
        acc = tl.dot(p.to(vv.dtype), vv, acc * fade[:, None])
        top = higher
    tl.store(
        out + base + om[:, None] * D + d[None, :], (acc / total[:, None]).to(out.dtype.element_ty), mask=om[:, None] < n
    )


@triton.jit
def grouped_gemm(a, b, c, sizes, groups, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Problems of several sizes, one after another in each operand, shared by a fixed number of programs."""
    tile = tl.program_id(0)
    done = 0
    at_a, at_b, at_c = 0, 0, 0
    for g in range(groups):
        m, n, k = tl.load(sizes + 3 * g), tl.load(sizes + 3 * g + 1), tl.load(sizes + 3 * g + 2)
        grid_n = tl.cdiv(n, BN)
        tiles = tl.cdiv(m, BM) * grid_n
        while tile < done + tiles:
            om = (tile - done) // grid_n * BM + tl.arange(0, BM)
            on = (tile - done) % grid_n * BN + tl.arange(0, BN)
            total = tl.zeros((BM, BN), tl.float32)
            for start in range(0, k, BK):
                ok = start + tl.arange(0, BK)
                x = tl.load(
                    a + at_a + om[:, None] * k + ok[None, :], mask=(om[:, None] < m) & (ok[None, :] < k), other=0.0
                )
                y = tl.load(
                    b + at_b + ok[:, None] * n + on[None, :], mask=(ok[:, None] < k) & (on[None, :] < n), other=0.0
                )
                total = tl.dot(x, y, total)
            tl.store(
                c + at_c + om[:, None] * n + on[None, :],
                total.to(tl.float16),
                mask=(om[:, None] < m) & (on[None, :] < n),
            )
            tile += PROGRAMS
        done += tiles
        at_a += m * k
        at_b += k * n
        at_c += m * n


@triton.jit
def persistent_matmul(a, b, c, M, N, K, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    grid_n = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * grid_n, PROGRAMS, flatten=True):
        om, on = tile // grid_n * BM + tl.arange(0, BM), tile % grid_n * BN + tl.arange(0, BN)
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            ok = k * BK + tl.arange(0, BK)
            x = tl.load(a + om[:, None] * K + ok[None, :], mask=(om[:, None] < M) & (ok[None, :] < K), other=0.0)
            y = tl.load(b + ok[:, None] * N + on[None, :], mask=(ok[:, None] < K) & (on[None, :] < N), other=0.0)
            total = tl.dot(x, y, total)
        tl.store(c + om[:, None] * N + on[None, :], total, mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def split_k(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    om, on = tl.arange(0, BM), tl.arange(0, BN)
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(tl.program_id(0), tl.cdiv(K, BK), SPLIT):
        ok = k * BK + tl.arange(0, BK)
        x = tl.load(a + om[:, None] * K + ok[None, :], mask=ok[None, :] < K, other=0.0)
        y = tl.load(b + ok[:, None] * N + on[None, :], mask=ok[:, None] < K, other=0.0)
        total = tl.dot(x, y, total)
    tl.atomic_add(c + om[:, None] * N + on[None, :], total)


def case(kernel, name, arguments, grid=(1,), ulps=0, **constants):
    return Case(FAMILY, f"{kernel.__name__}{name}", kernel, arguments, grid, constants, ulps, fused=True)


def whole(kind, n, seed):
    return v.small(kind, n, seed, -4, 5)


def zeros(kind, *shape):
    return Both(torch.zeros(shape, dtype=v.TORCH[kind]))


def matmul_arguments(kind, out, values, m, n, k, transposed=False):
    strides = [1, m, 1, k] if transposed else [k, 1, n, 1]
    return lambda: [In(values(kind, m * k, 1)), In(values(kind, k * n, 2)), Out(out, m * n), m, n, k, *strides]


def positive(kind, n, seed):
    return v.draw(kind, n, seed, 0.5, 1.5)


def heads(values=None):
    return [In((values or v.draw)("f16", 2 * 100 * 32, s, -1, 1)) for s in (1, 2)] + [
        In(v.draw("f16", 2 * 100 * 32, 3, 0.5, 1.5))
    ]


TILES = {"BM": 32, "BN": 32, "BK": 32}
SIZES = [(40, 50, 64), (16, 16, 16), (70, 33, 48), (64, 64, 32)]
CASES = [
    *[
        case(
            vector_add,
            f".{k}",
            lambda k=k: [In(v.bits(k, 1000, 1)), In(v.bits(k, 1000, 2)), Out(k, 1000), 1000],
            (8,),
            N=128,
        )
        for k in ("f32", "f16", "bf16")
    ],
    *[
        case(
            softmax,
            f"_{n}.f32",
            lambda n=n: [In(v.draw("f32", 20 * n, 1)), Out("f32", 20 * n), 20, n],
            (4,),
            16,
            STAGES=2,
            N=triton.next_power_of_2(n),
        )
        for n in (60, 256, 781)
    ],
    *[
        case(
            matmul,
            f"_whole.{k}",
            matmul_arguments(k, "f32", whole, 70, 90, 100),
            (9,),
            ACTIVATION=False,
            GROUP=2,
            **TILES,
        )
        for k in ("f16", "bf16", "f32", "e5m2")
    ],
    case(
        matmul,
        "_transposed.f16",
        matmul_arguments("f16", "f16", whole, 64, 48, 80, True),
        (4,),
        ACTIVATION=True,
        GROUP=8,
        **TILES,
    ),
    case(
        matmul,
        "_drawn.f16",
        matmul_arguments("f16", "f32", positive, 70, 90, 100),
        (9,),
        16,
        ACTIVATION=False,
        GROUP=2,
        **TILES,
    ),
    case(
        matmul,
        "_rounded.bf16",
        matmul_arguments("bf16", "bf16", positive, 64, 64, 100),
        (4,),
        1,
        ACTIVATION=False,
        GROUP=2,
        **TILES,
    ),
    case(
        dropout_by_mask,
        ".f32",
        lambda: [In(v.bits("f32", 1000, 1)), In(v.bits("bool", 1000, 2)), Out("f32", 1000), 1000, 0.5],
        (8,),
        N=128,
    ),
    case(dropout_by_seed, ".f32", lambda: [In(v.bits("f32", 1000, 1)), Out("f32", 1000), 1000, 0.5, 123], (8,), N=128),
    *[
        case(
            layer_norm,
            f".{k}",
            lambda k=k: [
                In(v.draw(k, 16 * 150, 1, 0, 4)),
                Out(k, 16 * 150),
                In(v.draw(k, 150, 2, 0.5, 1.5)),
                In(v.draw(k, 150, 3, 8, 9)),
                Out("f32", 16),
                Out("f32", 16),
                150,
                1e-5,
            ],
            (16,),
            4,
            N=64,
        )
        for k in ("f32", "f16")
    ],
    case(
        layer_norm_backward,
        ".f32",
        lambda: [
            *[In(v.small("f32", 24 * 100, s)) for s in (1, 2)],
            In(v.small("f32", 100, 3)),
            Out("f32", 24 * 100),
            zeros("f32", 4 * 100),
            zeros("i32", 8),
            100,
        ],
        (24,),
        GROUPS=4,
        N=128,
    ),
    *[
        case(
            attention,
            f"_{'causal' if causal else 'full'}.f16",
            lambda: [*heads(), Out("f16", 2 * 100 * 32), 0.25, 100],
            (4, 2),
            2,
            CAUSAL=causal,
            BM=32,
            BN=32,
            D=32,
        )
        for causal in (False, True)
    ],
    case(
        grouped_gemm,
        ".f16",
        lambda: [
            In(v.small("f16", sum(m * k for m, n, k in SIZES), 1)),
            In(v.small("f16", sum(n * k for m, n, k in SIZES), 2)),
            Out("f16", sum(m * n for m, n, k in SIZES)),
            In(v.as_kind("i32", [s for size in SIZES for s in size])),
            4,
        ],
        (3,),
        PROGRAMS=3,
        **TILES,
    ),
    case(
        persistent_matmul,
        ".f16",
        lambda: [In(whole("f16", 100 * 70, 1)), In(whole("f16", 70 * 90, 2)), Out("f32", 100 * 90), 100, 90, 70],
        (5,),
        PROGRAMS=5,
        **TILES,
    ),
    case(
        split_k,
        ".f16",
        lambda: [In(whole("f16", 32 * 200, 1)), In(whole("f16", 200 * 32, 2)), zeros("f32", 32 * 32), 32, 32, 200],
        (4,),
        SPLIT=4,
        **TILES,
    ),
]
