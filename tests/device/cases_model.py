# SPDX-License-Identifier: Apache-2.0
"""Kernels of models and optimizers: norms, embeddings, gates, losses, quantizers, caches, convolutions.
Compiled as by default, contraction included."""

import torch
import triton
import triton.language as tl
import values as v
from suite import Both, Case, In, Out
from triton.language.extra.cuda import libdevice

FAMILY = "model"


@triton.jit
def rms_norm(x, w, out, n, eps, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    a = tl.load(x + row * n + i, mask=i < n, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(a * a, 0) / n + eps)
    tl.store(out + row * n + i, (a * scale * tl.load(w + i, mask=i < n)).to(out.dtype.element_ty), mask=i < n)


@triton.jit
def rotary(x, cosines, sines, out, half, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    m = i < half
    a, b = tl.load(x + row * 2 * half + i, mask=m), tl.load(x + row * 2 * half + half + i, mask=m)
    c, s = tl.load(cosines + row * half + i, mask=m), tl.load(sines + row * half + i, mask=m)
    tl.store(out + row * 2 * half + i, a * c - b * s, mask=m)
    tl.store(out + row * 2 * half + half + i, b * c + a * s, mask=m)


@triton.jit
def swiglu(gate, up, out, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    g, u = tl.load(gate + i, mask=i < n).to(tl.float32), tl.load(up + i, mask=i < n).to(tl.float32)
    tl.store(out + i, (g * tl.sigmoid(g) * u).to(out.dtype.element_ty), mask=i < n)


@triton.jit
def embedding(table, tokens, out, width, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    token = tl.load(tokens + row)
    tl.store(
        out + row * width + i,
        tl.load(table + token * width + i, mask=(i < width) & (token >= 0), other=0.0),
        mask=i < width,
    )


@triton.jit
def embedding_gradient(gradient, tokens, table, width, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    tl.atomic_add(
        table + tl.load(tokens + row) * width + i, tl.load(gradient + row * width + i, mask=i < width), mask=i < width
    )


@triton.jit
def cross_entropy(x, labels, out, n, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    a = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    top = tl.max(a, 0)
    total = tl.log(tl.sum(tl.exp(a - top), 0))
    tl.store(out + row, total + top - tl.load(x + row * n + tl.load(labels + row)))


@triton.jit
def adam(p, g, m, s, rate, beta1, beta2, eps, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    k = i < n
    grad = tl.load(g + i, mask=k)
    first = beta1 * tl.load(m + i, mask=k) + (1 - beta1) * grad
    second = beta2 * tl.load(s + i, mask=k) + (1 - beta2) * grad * grad
    tl.store(m + i, first, mask=k)
    tl.store(s + i, second, mask=k)
    tl.store(p + i, tl.load(p + i, mask=k) - rate * first / (tl.sqrt(second) + eps), mask=k)


@triton.jit
def momentum(p, g, velocity, rate, n, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    k = i < n
    speed = tl.fma(tl.load(velocity + i, mask=k), 0.875, tl.load(g + i, mask=k))
    tl.store(velocity + i, speed, mask=k)
    tl.store(p + i, tl.fma(speed, -rate, tl.load(p + i, mask=k)), mask=k)


@triton.jit
def quantize_rows(x, out, scales, n, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    a = tl.load(x + row * n + i, mask=i < n, other=0.0)
    scale = tl.div_rn(tl.maximum(tl.max(tl.abs(a), 0), 1e-10), 127.0)
    tl.store(scales + row, scale)
    tl.store(out + row * n + i, libdevice.rint(tl.div_rn(a, scale)).to(tl.int8), mask=i < n)


@triton.jit
def quantize_groups_fp8(x, out, scales, GROUP: tl.constexpr):
    """A power of two as the scale of each group."""
    g, i = tl.program_id(0), tl.arange(0, GROUP)
    a = tl.load(x + g * GROUP + i)
    top = tl.maximum(tl.max(tl.abs(a), 0), 1e-10)
    exponent = (top.to(tl.int32, bitcast=True) >> 23) - 8
    tl.store(scales + g, exponent.to(tl.uint8))
    tl.store(out + g * GROUP + i, (a * ((254 - exponent) << 23).to(tl.float32, bitcast=True)).to(tl.float8e4nv))


@triton.jit
def int8_matmul(a, b, scale_a, scale_b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.dot(
        tl.load(a + i[:, None] * K + k[None, :]), tl.load(b + k[:, None] * N + j[None, :]), out_dtype=tl.int32
    )
    tl.store(
        out + i[:, None] * N + j[None, :],
        total.to(tl.float32) * tl.load(scale_a + i)[:, None] * tl.load(scale_b + j)[None, :],
    )


@triton.jit
def int4_weights_matmul(a, packed, scales, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    word = tl.load(packed + (k[:, None] // 8) * N + j[None, :])
    weight = ((word >> ((k[:, None] % 8) * 4)) & 15) - 8
    scale = tl.load(scales + (k[:, None] // GROUP) * N + j[None, :])
    x = tl.load(a + i[:, None] * K + k[None, :])
    tl.store(out + i[:, None] * N + j[None, :], tl.dot(x, weight.to(tl.float16) * scale))


@triton.jit
def paged_decode(q, keys, values, table, lengths, out, scale, pages, D: tl.constexpr, PAGE: tl.constexpr):
    """One query against a cache in pages."""
    row, d, t = tl.program_id(0), tl.arange(0, D), tl.arange(0, PAGE)
    vq = tl.load(q + row * D + d)
    n = tl.load(lengths + row)
    top, total, acc = -float("inf"), 0.0, tl.zeros([D], tl.float32)
    for p in range(0, tl.cdiv(n, PAGE)):
        at = tl.load(table + row * pages + p) * PAGE + t
        m = p * PAGE + t < n
        k = tl.load(keys + at[:, None] * D + d[None, :], mask=m[:, None], other=0.0)
        s = tl.where(m, tl.sum(k * vq[None, :], 1) * scale, -float("inf"))
        higher = tl.maximum(top, tl.max(s, 0))
        w, fade = tl.exp(s - higher), tl.exp(top - higher)
        x = tl.load(values + at[:, None] * D + d[None, :], mask=m[:, None], other=0.0)
        acc = acc * fade + tl.sum(w[:, None] * x, 0)
        total = total * fade + tl.sum(w, 0)
        top = higher
    tl.store(out + row * D + d, acc / total)


@triton.jit
def cache_update(k, slots, cache, width, N: tl.constexpr):
    row, i = tl.program_id(0), tl.arange(0, N)
    slot = tl.load(slots + row)
    if slot >= 0:
        tl.store(
            cache + slot * width + i,
            tl.load(k + row * width + i, mask=i < width).to(cache.dtype.element_ty),
            mask=i < width,
        )


@triton.jit
def route_tokens(x, ids, weights, experts, E: tl.constexpr, K: tl.constexpr):
    """The K best experts of a token by repeated argmax."""
    row, i = tl.program_id(0), tl.arange(0, E)
    a = tl.load(x + row * experts + i, mask=i < experts, other=-float("inf"))
    for k in tl.static_range(K):
        best = tl.argmax(a, 0)
        tl.store(ids + row * K + k, best)
        tl.store(weights + row * K + k, tl.max(a, 0))
        a = tl.where(i == best, -float("inf"), a)


@triton.jit
def count_and_offset(ids, counts, offsets, n, E: tl.constexpr, N: tl.constexpr):
    """How many tokens each expert gets, and where its run starts."""
    i = tl.arange(0, N)
    count = tl.histogram(tl.load(ids + i, mask=i < n, other=0), E, mask=i < n)
    tl.store(counts + tl.arange(0, E), count)
    tl.store(offsets + tl.arange(0, E), tl.cumsum(count, 0) - count)


@triton.jit
def convolution(x, w, out, height, width, channels, C: tl.constexpr, F: tl.constexpr, N: tl.constexpr):
    """3 x 3, as nine products of a row of pixels with the weights of one tap."""
    y, j, c, f = tl.program_id(0), tl.arange(0, N), tl.arange(0, C), tl.arange(0, F)
    total = tl.zeros((N, F), tl.float32)
    for dy in tl.static_range(3):
        for dx in tl.static_range(3):
            r, s = y + dy - 1, j + dx - 1
            m = (r >= 0) & (r < height) & (s >= 0) & (s < width)
            a = tl.load(
                x + (r * width + s)[:, None] * channels + c[None, :],
                mask=m[:, None] & (c[None, :] < channels),
                other=0.0,
            )
            b = tl.load(
                w + ((dy * 3 + dx) * channels + c[:, None]) * F + f[None, :], mask=c[:, None] < channels, other=0.0
            )
            total = tl.dot(a, b, total)
    tl.store(out + (y * width + j)[:, None] * F + f[None, :], total, mask=j[:, None] < width)


@triton.jit
def max_pool(x, out, height, width, N: tl.constexpr):
    y, j = tl.program_id(0), tl.arange(0, N)
    best = tl.full([N], -float("inf"), tl.float32)
    for dy in tl.static_range(2):
        for dx in tl.static_range(2):
            best = tl.maximum(
                best, tl.load(x + (2 * y + dy) * width + 2 * j + dx, mask=2 * j + dx < width, other=-float("inf"))
            )
    tl.store(out + y * (width // 2) + j, best, mask=j < width // 2)


@triton.jit
def group_norm(x, out, n, eps, N: tl.constexpr):
    g, i = tl.program_id(0), tl.arange(0, N)
    a = tl.load(x + g * n + i, mask=i < n, other=0.0)
    mean = tl.sum(a, 0) / n
    d = tl.where(i < n, a - mean, 0.0)
    tl.store(out + g * n + i, d * tl.rsqrt(tl.sum(d * d, 0) / n + eps) + 8.0, mask=i < n)


@triton.jit
def selective_scan(x, decay, out, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    state = tl.zeros([N], tl.float32)
    for t in range(steps):
        state = state * tl.load(decay + t * N + i) + tl.load(x + t * N + i)
        tl.store(out + t * N + i, state)


@triton.jit
def blocked_cumsum(x, out, n, N: tl.constexpr):
    """A carry from block to block."""
    carry = tl.zeros([1], tl.int64).item()
    for start in range(0, n, N):
        i = start + tl.arange(0, N)
        a = tl.load(x + i, mask=i < n, other=0)
        tl.store(out + i, tl.cumsum(a, 0) + carry, mask=i < n)
        carry += tl.sum(a, 0)


@triton.jit
def sampled_by_inverse(p, u, out, n, N: tl.constexpr):
    """The first place where the running sum passes a draw; sums of sixty-fourths are exact."""
    row, i = tl.program_id(0), tl.arange(0, N)
    c = tl.cumsum(tl.load(p + i, mask=i < n, other=0.0), 0)
    tl.store(out + row, tl.min(tl.where((c > tl.load(u + row)) & (i < n), i, n), 0))


@triton.jit
def logsumexp_merge(a, la, b, lb, out, n, N: tl.constexpr):
    """Two partial attentions by their logarithms."""
    row, i = tl.program_id(0), tl.arange(0, N)
    x, y = tl.load(la + row), tl.load(lb + row)
    top = tl.maximum(x, y)
    p, q = tl.exp(x - top), tl.exp(y - top)
    r = tl.load(a + row * n + i, mask=i < n) * (p / (p + q)) + tl.load(b + row * n + i, mask=i < n) * (q / (p + q))
    tl.store(out + row * n + i, r, mask=i < n)


@triton.jit
def permute_copy(x, out, B, H, S, D: tl.constexpr, BS: tl.constexpr):
    """(B, S, H, D) to (B, H, S, D)."""
    b, h = tl.program_id(0) // H, tl.program_id(0) % H
    s, d = tl.program_id(1) * BS + tl.arange(0, BS)[:, None], tl.arange(0, D)[None, :]
    tl.store(out + ((b * H + h) * S + s) * D + d, tl.load(x + ((b * S + s) * H + h) * D + d, mask=s < S), mask=s < S)


def case(kernel, name, arguments, grid=(1,), ulps=0, **constants):
    return Case(FAMILY, f"{kernel.__name__}{name}", kernel, arguments, grid, constants, ulps, fused=True)


def zeros(kind, *shape):
    return Both(torch.zeros(shape, dtype=v.TORCH[kind]))


def d(kind, n, seed, low=0.5, high=1.5):
    return In(v.draw(kind, n, seed, low, high))


def w(kind, n, seed, low=-8, high=8):
    return In(v.small(kind, n, seed, low, high))


CASES = [
    *[
        case(
            rms_norm,
            f".{k}",
            lambda k=k: [d(k, 16 * 100, 1, 0, 4), d(k, 100, 2), Out(k, 1600), 100, 1e-6],
            (16,),
            4,
            N=128,
        )
        for k in ("f32", "bf16")
    ],
    *[
        case(
            rotary,
            f".{k}",
            lambda k=k: [d(k, 8 * 64, 1), d(k, 8 * 32, 2, -1, 1), d(k, 8 * 32, 3, -1, 1), Out(k, 512), 32],
            (8,),
            N=32,
        )
        for k in ("f32", "bf16")
    ],
    *[
        case(swiglu, f".{k}", lambda k=k: [d(k, 1000, 1, -6, 6), d(k, 1000, 2), Out(k, 1000), 1000], (8,), 16, N=128)
        for k in ("f32", "f16")
    ],
    case(
        embedding,
        ".bf16",
        lambda: [In(v.bits("bf16", 50 * 60, 1)), w("i32", 20, 2, -3, 50), Out("bf16", 1200), 60],
        (20,),
        N=64,
    ),
    case(
        embedding_gradient,
        ".f32",
        lambda: [w("f32", 20 * 60, 1), w("i32", 20, 2, 0, 6), zeros("f32", 6 * 60), 60],
        (20,),
        N=64,
    ),
    case(
        cross_entropy,
        ".f32",
        lambda: [d("f32", 16 * 100, 1, -4, 4), w("i32", 16, 2, 0, 100), Out("f32", 16), 100],
        (16,),
        16,
        N=128,
    ),
    case(
        adam,
        ".f32",
        lambda: [
            Both(v.draw("f32", 1000, 1, 2, 3)),
            d("f32", 1000, 2, 0.25, 1),
            Both(v.draw("f32", 1000, 3, 0.1, 2)),
            Both(v.draw("f32", 1000, 4, 0.5, 2)),
            *(0.01, 0.9, 0.999, 1e-8, 1000),
        ],
        (8,),
        4,
        N=128,
    ),
    case(
        momentum,
        ".f32",
        lambda: [Both(v.draw("f32", 1000, 1)), d("f32", 1000, 2, -1, 1), Both(v.draw("f32", 1000, 3)), 0.01, 1000],
        (8,),
        N=128,
    ),
    case(
        quantize_rows,
        ".f32",
        lambda: [In(v.spread("f32", 16 * 100, 1)), Out("i8", 1600), Out("f32", 16), 100],
        (16,),
        N=128,
    ),
    case(
        quantize_groups_fp8,
        ".f32",
        lambda: [In(v.spread("f32", 1024, 1)), Out("e4m3", 1024), Out("u8", 32)],
        (32,),
        GROUP=32,
    ),
    case(
        int8_matmul,
        ".i8",
        lambda: [
            In(v.bits("i8", 32 * 64, 1)),
            In(v.bits("i8", 64 * 32, 2)),
            d("f32", 32, 3),
            d("f32", 32, 4),
            Out("f32", 1024),
        ],
        M=32,
        N=32,
        K=64,
    ),
    case(
        int4_weights_matmul,
        ".f16",
        lambda: [
            w("f16", 16 * 64, 1, -4, 4),
            In(v.bits("i32", 8 * 32, 2)),
            In(v.as_kind("f16", [0.5, 0.25, 2.0, 1.0] * 32)),
            Out("f32", 512),
        ],
        M=16,
        N=32,
        K=64,
        GROUP=16,
    ),
    case(
        paged_decode,
        ".f32",
        lambda: [
            d("f32", 4 * 32, 1, -1, 1),
            d("f32", 20 * 16 * 32, 2, -1, 1),
            d("f32", 20 * 16 * 32, 3),
            w("i32", 4 * 5, 4, 0, 20),
            In(v.as_kind("i32", [80, 1, 33, 48])),
            Out("f32", 128),
            0.25,
            5,
        ],
        (4,),
        16,
        D=32,
        PAGE=16,
    ),
    *[
        case(
            cache_update,
            f".{k}",
            lambda k=k: [
                In(v.spread("f16", 10 * 60, 1, 4)),
                In(v.as_kind("i32", [3, 0, -1, 7, 9, -1, 2, 4, 11, 8])),
                zeros(k, 12, 60),
                60,
            ],
            (10,),
            N=64,
        )
        for k in ("f16", "e5m2", "e4m3")
    ],
    case(
        route_tokens,
        ".f32",
        lambda: [In(v.draw("f32", 20 * 10, 1)), Out("i32", 80), Out("f32", 80), 10],
        (20,),
        E=16,
        K=4,
    ),
    case(count_and_offset, ".i32", lambda: [w("i32", 200, 1, 0, 16), Out("i32", 16), Out("i32", 16), 200], E=16, N=256),
    case(
        convolution,
        ".f16",
        lambda: [
            w("f16", 10 * 14 * 16, 1, -3, 4),
            w("f16", 9 * 16 * 16, 2, -3, 4),
            Out("f32", 10 * 14 * 16),
            10,
            14,
            16,
        ],
        (10,),
        C=16,
        F=16,
        N=16,
    ),
    case(max_pool, ".f32", lambda: [In(v.bits("f32", 16 * 30, 1)), Out("f32", 8 * 15), 16, 30], (8,), N=16),
    case(group_norm, ".f32", lambda: [d("f32", 8 * 200, 1, 0, 4), Out("f32", 1600), 200, 1e-5], (8,), 8, N=256),
    case(
        selective_scan,
        ".f32",
        lambda: [d("f32", 40 * 64, 1), d("f32", 40 * 64, 2, 0.5, 1), Out("f32", 40 * 64), 40],
        N=64,
    ),
    case(blocked_cumsum, ".i64", lambda: [In(v.bits("i64", 1000, 1)), Out("i64", 1000), 1000], N=128),
    case(
        sampled_by_inverse,
        ".f32",
        lambda: [In(v.as_kind("f32", [0.015625] * 64)), d("f32", 30, 1, 0, 1.05), Out("i32", 30), 64],
        (30,),
        N=64,
    ),
    case(
        logsumexp_merge,
        ".f32",
        lambda: [
            d("f32", 8 * 60, 1),
            d("f32", 8, 2, -3, 3),
            d("f32", 8 * 60, 3),
            d("f32", 8, 4, -3, 3),
            Out("f32", 480),
            60,
        ],
        (8,),
        8,
        N=64,
    ),
    case(
        permute_copy,
        ".f16",
        lambda: [In(v.bits("f16", 2 * 50 * 3 * 32, 1)), Out("f16", 2 * 50 * 3 * 32), 2, 3, 50],
        (6, 4),
        D=32,
        BS=16,
    ),
]
