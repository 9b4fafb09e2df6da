# SPDX-License-Identifier: Apache-2.0
"""Products and sums as the compiler contracts them by default: exact with the machine's option `contraction`."""

import triton
import triton.language as tl
import values as v
from suite import Case, In, Out, elementwise

FAMILY = "contraction"


@triton.jit
def product_plus(a, b, c):
    return a * b + c


@triton.jit
def plus_product(a, b, c):
    return c + a * b


@triton.jit
def product_minus(a, b, c):
    return a * b - c


@triton.jit
def minus_product(a, b, c):
    return c - a * b


@triton.jit
def two_products(a, b, c):
    return a * b + b * c


@triton.jit
def difference_of_products(a, b, c):
    return a * b - b * c


@triton.jit
def three_products(a, b, c):
    return a * a + b * b + c * c


@triton.jit
def horner(a):
    return ((a * 0.125 + 0.5) * a - 0.75) * a + 1.0


@triton.jit
def shared_product(a, b, c):
    """One product, two sums: both are contracted."""
    p = a * b
    return (p + c) - (p - a)


@triton.jit
def product_used_again(a, b, c):
    """One product, a sum and another use."""
    p = a * b
    return tl.maximum(p + c, p)


@triton.jit
def negated_product(a, b, c):
    return -(a * b) + c


@triton.jit
def interpolate(a, b, c):
    return a + c * (b - a)


@triton.jit
def by_a_power_of_two(a, b, c):
    return a * 2.0 + b * 0.5 + c


@triton.jit
def widened(a, b, c):
    """Products of f32 values that come from narrow ones."""
    return a.to(tl.float32) * b.to(tl.float32) + c.to(tl.float32)


@triton.jit
def complex_product(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + 2 * i), tl.load(x + 2 * i + 1)
    c, d = tl.load(y + 2 * i), tl.load(y + 2 * i + 1)
    tl.store(out + 2 * i, a * c - b * d)
    tl.store(out + 2 * i + 1, a * d + b * c)


@triton.jit
def rotate_halves(x, angle, out, N: tl.constexpr):
    """Rotary embedding with given sines: the product that feeds two rows."""
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(x + N + i)
    c, s = tl.load(angle + i), tl.load(angle + N + i)
    tl.store(out + i, a * c - b * s)
    tl.store(out + N + i, b * c + a * s)


@triton.jit
def accumulate(x, y, out, trips, N: tl.constexpr):
    """A chain of products summed over a loop, element by element."""
    i = tl.arange(0, N)
    total = tl.zeros([N], tl.float32)
    for k in range(trips):
        total += tl.load(x + k * N + i) * tl.load(y + k * N + i)
    tl.store(out + i, total)


@triton.jit
def euler_steps(x, out, trips, N: tl.constexpr):
    i = tl.arange(0, N)
    position, speed = tl.load(x + i), tl.load(x + N + i)
    for _ in range(trips):
        speed = speed - 0.015625 * position
        position = position + 0.015625 * speed
    tl.store(out + i, position)
    tl.store(out + N + i, speed)


def each(function, kinds, **how):
    return elementwise(FAMILY, function, kinds, fused=True, **how)


ALL = v.FLOATS
CASES = [
    *each(product_plus, ALL),
    *each(plus_product, ALL),
    *each(product_minus, ALL),
    *each(minus_product, ALL),
    *each(two_products, ALL),
    *each(difference_of_products, ALL),
    *each(three_products, ["f32", "f64"], values=v.spread),
    *each(horner, ALL),
    *each(shared_product, ["f32", "f64"]),
    *each(product_used_again, ["f32", "f64"]),
    *each(negated_product, ["f32", "f64"]),
    *each(interpolate, ["f32", "f64"]),
    *each(by_a_power_of_two, ["f32", "f64"]),
    *each(widened, ["f16", "bf16"], out="f32"),
    Case(
        FAMILY,
        "complex_product.f32",
        complex_product,
        lambda: [In(v.spread("f32", 1024, 1)), In(v.spread("f32", 1024, 2)), Out("f32", 1024)],
        constants={"N": 512},
        fused=True,
    ),
    Case(
        FAMILY,
        "rotate_halves.f32",
        rotate_halves,
        lambda: [In(v.draw("f32", 1024, 1)), In(v.draw("f32", 1024, 2, -1, 1)), Out("f32", 1024)],
        constants={"N": 512},
        fused=True,
    ),
    Case(
        FAMILY,
        "accumulate.f32",
        accumulate,
        lambda: [In(v.draw("f32", 2560, 1)), In(v.draw("f32", 2560, 2)), Out("f32", 256), 10],
        constants={"N": 256},
        fused=True,
    ),
    Case(
        FAMILY,
        "euler_steps.f32",
        euler_steps,
        lambda: [In(v.draw("f32", 512, 1)), Out("f32", 512), 20],
        constants={"N": 256},
        fused=True,
    ),
]
