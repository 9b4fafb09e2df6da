# SPDX-License-Identifier: Apache-2.0
"""Matrix products. Whole numbers whose sums are exact prove layouts and kinds bit for bit; drawn ones are within ulps."""

import triton
import triton.language as tl
import values as v
from suite import Case, In, Out

FAMILY = "dot"


@triton.jit
def tile(p, R: tl.constexpr, C: tl.constexpr):
    return tl.load(p + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])


@triton.jit
def put(p, value, R: tl.constexpr, C: tl.constexpr):
    tl.store(p + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], value)


@triton.jit
def product(a, b, acc, out, P: tl.constexpr, T: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    put(out, tl.dot(tile(a, M, K), tile(b, K, N), tile(acc, M, N), input_precision=P, out_dtype=T), M, N)


@triton.jit
def transposed_operands(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    put(out, tl.dot(tl.trans(tile(a, K, M)), tl.trans(tile(b, N, K))), M, N)


@triton.jit
def batched(a, b, out, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, B)[:, None, None], tl.arange(0, M), tl.arange(0, K)
    n = tl.arange(0, N)
    x = tl.load(a + (i * M + j[None, :, None]) * K + k[None, None, :])
    y = tl.load(b + (i * K + k[None, :, None]) * N + n[None, None, :])
    tl.store(out + (i * M + j[None, :, None]) * N + n[None, None, :], tl.dot(x, y, input_precision="ieee"))


@triton.jit
def chain(a, b, c, out, M: tl.constexpr):
    """A product of a product, through a narrower kind as attention does it."""
    first = tl.dot(tile(a, M, M), tile(b, M, M)).to(tl.float16)
    put(out, tl.dot(first, tile(c, M, M)), M, M)


@triton.jit
def sum_over_depth(a, b, out, depth, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for start in range(0, depth, K):
        x = tl.load(a + i[:, None] * depth + start + k[None, :], mask=start + k[None, :] < depth, other=0.0)
        y = tl.load(b + (start + k[:, None]) * N + j[None, :], mask=start + k[:, None] < depth, other=0.0)
        total = tl.dot(x, y, total, input_precision="ieee")
    put(out, total, M, N)


@triton.jit
def integer_product(a, b, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    put(out, tl.dot(tile(a, M, K), tile(b, K, N), out_dtype=tl.int32), M, N)


@triton.jit
def epilogue(a, b, bias, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    total = tl.dot(tile(a, M, K), tile(b, K, N)) + tl.load(bias + tl.arange(0, N))[None, :]
    put(out, tl.where(total > 0, total, total * 0.25).to(tl.float16), M, N)


@triton.jit
def scaled(
    a,
    sa,
    b,
    sb,
    acc,
    out,
    AC: tl.constexpr,
    BR: tl.constexpr,
    M: tl.constexpr,
    N: tl.constexpr,
    G: tl.constexpr,
    FA: tl.constexpr,
    FB: tl.constexpr,
    HA: tl.constexpr,
    HB: tl.constexpr,
):
    s = tile(sa, M, G) if HA else None
    t = tile(sb, N, G) if HB else None
    put(out, tl.dot_scaled(tile(a, M, AC), s, FA, tile(b, BR, N), t, FB, tile(acc, M, N)), M, N)


M, N, K = 32, 32, 64
TYPE = {"f32": tl.float32, "f16": tl.float16, "f64": tl.float64}


def dense(kind, precision, values, accumulator, ulps=0, name="product", shape=(M, N, K)):
    m, n, k = shape
    return Case(
        FAMILY,
        f"{name}_{precision}.{kind}",
        product,
        lambda: [
            In(values(kind, m * k, 1)),
            In(values(kind, k * n, 2)),
            In(v.small(accumulator, m * n, 3)),
            Out(accumulator, m * n),
        ],
        constants={"P": precision, "T": TYPE[accumulator], "M": m, "N": n, "K": k},
        ulps=ulps,
    )


def whole(kind, n, seed):
    return v.small(kind, n, seed, -4, 5)


def positive(kind, n, seed):
    return v.draw(kind, n, seed, 0.5, 1.5)


def stored(form, count, seed):
    """What is loaded for a scaled operand: codes of whole and half numbers, two to a byte for e2m1."""
    if form == "e2m1":
        return v.bits("u8", count // 2, seed)
    kind = {"e4m3": "e4m3", "e5m2": "e5m2", "bf16": "bf16", "fp16": "f16"}[form]
    value = v.small(kind, count, seed, -4, 5)
    return v.tensor("u8", v.words_of(value)) if form in ("e4m3", "e5m2") else value


def scaled_case(fa, fb):
    """e2m1 is packed along the depth: sm_90 knows no other way."""
    narrow = ("e2m1", "e4m3", "e5m2")
    m, n, k = 32, 32, 64
    constants = {
        "AC": k // 2 if fa == "e2m1" else k,
        "BR": k // 2 if fb == "e2m1" else k,
        "M": m,
        "N": n,
        "G": k // 32,
        "FA": fa,
        "FB": fb,
        "HA": fa in narrow,
        "HB": fb in narrow,
    }
    return Case(
        FAMILY,
        f"scaled_{fa}_{fb}",
        scaled,
        lambda: [
            In(stored(fa, m * k, 1)),
            In(v.small("u8", m * 2, 2, 125, 130)),
            In(stored(fb, k * n, 3)),
            In(v.small("u8", n * 2, 4, 125, 130)),
            In(v.small("f32", m * n, 5)),
            Out("f32", m * n),
        ],
        constants=constants,
    )


def case(kernel, kind, inputs, outputs, ulps=0, numbers=(), **constants):
    return Case(
        FAMILY,
        f"{kernel.__name__}.{kind}",
        kernel,
        lambda: [*[In(i) for i in inputs()], *[Out(*o) for o in outputs], *numbers],
        constants=constants,
        ulps=ulps,
    )


FORMS = ("e2m1", "e4m3", "e5m2", "bf16", "fp16")
CASES = [
    *[dense(kind, precision, whole, "f32") for kind in ("f16", "bf16", "e4m3", "e5m2") for precision in ("tf32",)],
    *[dense("f32", precision, whole, "f32") for precision in ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6")],
    dense("f64", "ieee", whole, "f64"),
    dense("f16", "ieee", whole, "f16", name="product_in_f16"),
    *[
        dense("f16", "ieee", whole, "f32", name=f"product_{m}_{n}_{k}", shape=(m, n, k))
        for m, n, k in ((16, 16, 16), (64, 32, 128), (128, 64, 32))
    ],
    *[
        dense("f32", precision, positive, "f32", ulps=ulps, name="drawn")
        for precision, ulps in (("ieee", 2), ("tf32", 16), ("tf32x3", 16), ("bf16x3", 4), ("bf16x6", 4))
    ],
    *[
        dense(kind, "ieee", positive, "f32", ulps=ulps, name="drawn")
        for kind, ulps in (("f16", 16), ("bf16", 16), ("e4m3", 16), ("e5m2", 16))
    ],
    dense("f64", "ieee", positive, "f64", ulps=4, name="drawn"),
    case(
        transposed_operands,
        "f16",
        lambda: [whole("f16", 64 * 32, 1), whole("f16", 32 * 64, 2)],
        [("f32", 1024)],
        M=32,
        N=32,
        K=64,
    ),
    *[
        case(
            batched,
            k,
            lambda k=k: [whole(k, 4 * 16 * 32, 1), whole(k, 4 * 32 * 16, 2)],
            [("f32", 1024)],
            B=4,
            M=16,
            N=16,
            K=32,
        )
        for k in ("f16", "f32")
    ],
    case(chain, "f16", lambda: [v.small("f16", 1024, s, -2, 3) for s in (1, 2, 3)], [("f32", 1024)], M=32),
    case(
        sum_over_depth,
        "f16",
        lambda: [whole("f16", 32 * 200, 1), whole("f16", 200 * 32, 2)],
        [("f32", 1024)],
        numbers=[200],
        M=32,
        N=32,
        K=32,
    ),
    case(
        sum_over_depth,
        "f32",
        lambda: [whole("f32", 32 * 200, 1), whole("f32", 200 * 32, 2)],
        [("f32", 1024)],
        numbers=[200],
        M=32,
        N=32,
        K=32,
    ),
    case(
        integer_product,
        "i8",
        lambda: [v.bits("i8", 32 * 64, 1), v.bits("i8", 64 * 32, 2)],
        [("i32", 1024)],
        M=32,
        N=32,
        K=64,
    ),
    case(
        epilogue,
        "bf16",
        lambda: [whole("bf16", 32 * 64, 1), whole("bf16", 64 * 32, 2), whole("f32", 32, 3)],
        [("f16", 1024)],
        M=32,
        N=32,
        K=64,
    ),
    *[scaled_case(fa, fb) for fa in FORMS for fb in FORMS if fa in FORMS[:3] or fb in FORMS[:3]],
]
