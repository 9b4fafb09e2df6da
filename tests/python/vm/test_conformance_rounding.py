# SPDX-License-Identifier: Apache-2.0
"""Functions of libdevice with a rounding mode of their own, against exact rational arithmetic; fp8 and rtz casts."""
import math
from fractions import Fraction

import conformance as c
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def apply_one(x, out, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i)))


@triton.jit
def apply_two(x, y, out, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i)))


@triton.jit
def apply_three(x, y, z, out, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i), tl.load(z + i)))


@triton.jit
def apply_four(x, y, z, w, out, F: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, F(tl.load(x + i), tl.load(y + i), tl.load(z + i), tl.load(w + i)))


KERNELS = [None, apply_one, apply_two, apply_three, apply_four]


def apply(name, *inputs, dtype=None):
    out = torch.empty(inputs[0].numel(), dtype=dtype or inputs[0].dtype)
    result = c.launch(KERNELS[len(inputs)], (1,), *inputs, out, F=getattr(libdevice, name), N=inputs[0].numel())
    assert result["findings"] == [], result["findings"]
    return out


def directed(exact, dtype, mode):
    """The neighbour of an exact rational in a direction: by nearest, then one step if that is on the wrong side."""
    kind = np.float32 if dtype == torch.float32 else np.float64
    top = Fraction(float(np.finfo(kind).max))
    if abs(exact) > top:
        toward_zero = mode == "rz" or (mode == "rd") == (exact > 0)
        return float(np.copysign(np.finfo(kind).max if toward_zero else np.inf, -1.0 if exact < 0 else 1.0))
    near = kind(exact.numerator / exact.denominator) if kind == np.float64 else kind(nearest_f32(exact))
    if math.isinf(near):
        near = kind(np.copysign(np.finfo(kind).max, near))
    value = Fraction(float(near))
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    if mode == "rd" and value > exact:
        near = np.nextafter(near, kind(-np.inf))
    if mode == "ru" and value < exact:
        near = np.nextafter(near, kind(np.inf))
    return float(near)


def nearest_f32(exact):
    """Some f32 next to the value: the direction is mended by the caller."""
    with np.errstate(over="ignore"):
        return np.float32(exact.numerator / exact.denominator)


def numbers(dtype, n, seed, spread=20):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, generator=generator, dtype=torch.float64) * 2.0 ** torch.randint(
        -spread, spread, (n,), generator=generator).double()
    return x.to(dtype)


def fractions(tensor):
    return [Fraction(v) for v in tensor.double().tolist()]


def assert_directed(actual, exact, dtype, mode):
    expected = torch.tensor([directed(e, dtype, mode) for e in exact], dtype=dtype)
    nonzero = torch.tensor([e != 0 for e in exact])  # the sign of an exact zero has its own test
    assert torch.equal(actual[nonzero], expected[nonzero]), mode
    assert (actual[~nonzero] == 0).all()


TWO = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b}


@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
@pytest.mark.parametrize("name", list(TWO))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_directed_arithmetic(dtype, name, mode):
    x, y = numbers(dtype, 512, 1), numbers(dtype, 512, 2)
    y[::7] = x[::7]
    exact = [TWO[name](a, b) for a, b in zip(fractions(x), fractions(y))]
    assert_directed(apply(f"{name}_{mode}", x, y), exact, dtype, mode)


@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_directed_fma_and_reciprocal(dtype, mode):
    x, y, z = (numbers(dtype, 512, s, 8) for s in (3, 4, 5))
    exact = [a * b + d for a, b, d in zip(fractions(x), fractions(y), fractions(z))]
    assert_directed(apply(f"fma_{mode}", x, y, z), exact, dtype, mode)
    assert_directed(apply(f"rcp_{mode}", x), [1 / a for a in fractions(x)], dtype, mode)


@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_directed_square_root(dtype, mode):
    x = numbers(dtype, 512, 6).abs()
    x[:4] = torch.tensor([4.0, 2.0, 0.25, 9.0])
    got = apply(f"sqrt_{mode}", x)
    kind = np.float32 if dtype == torch.float32 else np.float64
    for value, root in zip(fractions(x), got.numpy()):
        below, above = Fraction(float(np.nextafter(root, kind(-np.inf)))), Fraction(float(np.nextafter(root, kind(np.inf))))
        square = Fraction(float(root)) ** 2
        if mode == "ru":
            assert square >= value > below**2
        else:
            assert square <= value < above**2


def test_overflow_and_zero_by_direction():
    top = torch.tensor([3.4028234663852886e38] * 4)
    for mode, expected in (("rd", 3.4028234663852886e38), ("rz", 3.4028234663852886e38), ("ru", float("inf"))):
        assert apply(f"mul_{mode}", top, top).tolist() == [expected] * 4
    x = torch.tensor([1.5] * 4)
    for mode, negative in (("rd", True), ("ru", False), ("rz", False)):
        zero = apply(f"sub_{mode}", x, x)
        assert (zero == 0).all() and (zero.signbit() == negative).all()


FROM_INTEGER = {torch.int32: ["int2float"], torch.uint32: ["uint2float"], torch.int64: ["ll2float", "ll2double"],
                torch.uint64: ["ull2float", "ull2double"]}


@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
@pytest.mark.parametrize("dtype, name", [(d, n) for d, names in FROM_INTEGER.items() for n in names], ids=str)
def test_directed_conversion_of_integers(dtype, name, mode):
    generator = np.random.default_rng(7)
    info = np.iinfo(c.numpy_dtype(dtype))
    x = generator.integers(info.min, info.max, 256, dtype=c.numpy_dtype(dtype), endpoint=True)
    x[:8] = [0, 1, info.max, info.min, info.max - 1, 2**24 + 1, 2**30 + 1, 3]
    to = torch.float64 if name.endswith("double") else torch.float32
    got = apply(f"{name}_{mode}", torch.from_numpy(x), dtype=to)
    assert_directed(got, [Fraction(int(v)) for v in x], to, mode)


@pytest.mark.parametrize("mode", ["rd", "ru", "rz"])
def test_directed_narrowing_of_f64(mode):
    x = numbers(torch.float64, 512, 8)
    assert_directed(apply(f"double2float_{mode}", x, dtype=torch.float32), fractions(x), torch.float32, mode)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_norms_of_four(dtype):
    x = [numbers(dtype, 256, s, 4) for s in range(4)]
    norm = torch.stack(x).double().square().sum(0).sqrt()
    limit = 2.0**-23 if dtype == torch.float32 else 2.0**-50
    torch.testing.assert_close(apply("norm4d", *x).double(), norm, rtol=limit, atol=0)
    torch.testing.assert_close(apply("rnorm4d", *x).double(), 1 / norm, rtol=limit, atol=0)


def test_first_approximation_of_a_reciprocal():
    x = numbers(torch.float64, 256, 9)
    got = apply("rcp64h", x)
    assert ((got * x - 1).abs() < 2.0**-19).all()
    assert (got.view(torch.int64) & 0xFFFFFFFF == 0).all()


@triton.jit
def cast(x, out, T: tl.constexpr, R: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    if R == "":
        r = v.to(T)
    else:
        r = v.to(T, fp_downcast_rounding=R)
    if out.dtype.element_ty == tl.uint8:
        tl.store(out + i, r.to(tl.uint8, bitcast=True))
    else:
        tl.store(out + i, r)


def truncated(x, bits):
    """f64 values cut toward zero to a format of (exponent bits, mantissa bits); no overflow in these tests."""
    exponent_bits, mantissa = bits
    least = 2 - 2 ** (exponent_bits - 1)
    exponent = torch.frexp(x).exponent.double() - 1
    unit = torch.pow(2.0, exponent.clamp(min=least) - mantissa)
    return torch.trunc(x / unit) * unit


@pytest.mark.parametrize("to, kind, bits", [(tl.float16, torch.float16, (5, 10)), (tl.bfloat16, torch.bfloat16, (8, 7)),
                                            (tl.float8e5, torch.float8_e5m2, (5, 2))], ids=str)
def test_casts_toward_zero(to, kind, bits):
    x = numbers(torch.float32, 1024, 10, 14)
    narrow = kind == torch.float8_e5m2
    out = torch.empty(1024, dtype=torch.uint8 if narrow else kind)
    result = c.launch(cast, (1,), x, out, T=to, R="rtz", N=1024)
    assert result["findings"] == []
    got = out.view(kind) if narrow else out
    assert torch.equal(got.double(), truncated(x.double(), bits))


def e4b15_value(code):
    """E4M3 with the exponent bias 15; the largest code is 1.75 and not NaN."""
    sign = -1.0 if code & 0x80 else 1.0
    exponent, mantissa = code >> 3 & 15, code & 7
    return sign * (mantissa / 8 * 2.0**-14 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 15))


@triton.jit
def from_e4b15(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.float8e4b15, bitcast=True).to(tl.float32))


@triton.jit
def to_e4b15(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.float8e4b15).to(tl.uint8, bitcast=True))


def test_every_code_of_e4b15():
    """A format that Triton converts by PTX of its own."""
    codes, out = torch.arange(256, dtype=torch.uint8), torch.empty(256)
    result = c.launch(from_e4b15, (1,), codes, out, N=256)
    assert result["findings"] == []
    assert out.tolist() == [e4b15_value(code) for code in range(256)]
    back = torch.empty(256, dtype=torch.uint8)
    assert c.launch(to_e4b15, (1,), out, back, N=256)["findings"] == []
    assert (back == codes)[(codes & 0x7F) != 0x7F].all()
