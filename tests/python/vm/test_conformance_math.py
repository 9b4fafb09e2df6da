# SPDX-License-Identifier: Apache-2.0
"""Functions of tl.math and libdevice on the virtual machine against torch in f64: error in units in the last place."""
import conformance as c
import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


@triton.jit
def builtin(x, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, FUNCTION(tl.load(x + i)))


@triton.jit
def builtin_of_two(x, y, out, FUNCTION: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, FUNCTION(tl.load(x + i), tl.load(y + i)))


def apply(function, *inputs, out):
    kernel = builtin if len(inputs) == 1 else builtin_of_two
    result = c.launch(kernel, (1,), *inputs, out, FUNCTION=function, BLOCK=inputs[0].numel())
    assert result["findings"] == [], result["findings"]
    return out


def cube_root(x):
    return x.abs().pow(1 / 3).copysign(x)


def normal_cdf(x):
    return 0.5 * torch.erfc(-x / 2**0.5)  # torch's own ndtr loses the lower tail


def remainder(x, y):
    with np.errstate(invalid="ignore"):
        return torch.from_numpy(np.fmod(x.numpy(), y.numpy()))  # torch.fmod fails on denormals


def ten_to_the(x):
    return torch.pow(torch.tensor(10.0, dtype=torch.float64), x)


BUILTINS = {
    "exp": torch.exp, "exp2": torch.exp2, "log": torch.log, "log2": torch.log2, "sin": torch.sin, "cos": torch.cos,
    "sqrt": torch.sqrt, "rsqrt": torch.rsqrt, "erf": torch.erf, "floor": torch.floor, "ceil": torch.ceil,
}
LIBDEVICE = {
    "tanh": torch.tanh, "sinh": torch.sinh, "cosh": torch.cosh, "tan": torch.tan, "asin": torch.asin, "acos": torch.acos,
    "atan": torch.atan, "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh, "expm1": torch.expm1,
    "log1p": torch.log1p, "log10": torch.log10, "erfc": torch.erfc, "lgamma": torch.lgamma, "rint": torch.round,
    "nearbyint": torch.round, "trunc": torch.trunc, "cbrt": cube_root, "exp10": ten_to_the, "exp": torch.exp,
    "j0": torch.special.bessel_j0, "cyl_bessel_i0": torch.special.i0, "normcdf": normal_cdf, "ceil": torch.ceil,
    "erfinv": torch.erfinv, "rsqrt": torch.rsqrt, "floor": torch.floor, "abs": torch.abs, "log2": torch.log2,
}


def arguments(name, dtype, n=1024):
    """The function's edge values and a spread that suits its domain."""
    generator = torch.Generator().manual_seed(5)
    spread = torch.randn(n, generator=generator, dtype=torch.float64) * torch.logspace(-6, 1.5, n, dtype=torch.float64)
    if name in ("asin", "acos", "atanh", "erfinv"):
        spread = torch.linspace(-1, 1, n, dtype=torch.float64)
    if name == "lgamma":
        spread = spread.abs() + 0.1
    spread = spread.to(dtype)
    edges = c.values(dtype)
    if name in ("lgamma", "j0", "cyl_bessel_i0"):  # torch is wrong at poles, infinity or huge arguments
        edges = edges[[2, 12]]
    elif dtype == torch.float64 and name == "log1p":
        edges[10:12] = 0.0  # torch gives 0 for denormals
    spread[:edges.numel()] = edges
    return spread


def f32_limit(name):
    """exp and exp2 are computed in f32, the others in f64."""
    return 0.95 if name in ("exp", "exp2") else 0.51


def assert_ulps(actual, exact, dtype, limit):
    """|actual - exact| in units in the last place of the result's dtype; NaN, infinity and zero must agree."""
    info = torch.finfo(dtype)
    expected = exact.to(dtype)
    special = ~expected.double().isfinite() | (expected == 0)
    a, e = actual.double(), exact.double()
    agree = (a == expected.double()) | (a.isnan() & expected.double().isnan())
    step = torch.exp2(torch.floor(torch.log2(e.abs().clamp(min=info.tiny)))) * info.eps
    error = torch.where(special, torch.where(agree, 0.0, 1e9), (a - e).abs() / step)
    # Infinity of the exact value in the narrower dtype, or a result just beside it.
    assert error.max() <= limit, (error.argmax().item(), a[error.argmax()].item(), e[error.argmax()].item(), error.max().item())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", BUILTINS)
def test_builtin_functions(name, dtype):
    x = arguments(name, dtype)
    y = apply(getattr(tl, name), x, out=torch.empty_like(x))
    assert_ulps(y, BUILTINS[name](x.double()), dtype, f32_limit(name) if dtype == torch.float32 else 2)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "rsqrt", "floor"])
def test_narrow_arguments_are_widened_by_hand(name, dtype):
    x = arguments(name, dtype)
    y = torch.empty(x.shape, dtype=torch.float32)
    apply(WIDENED[name], x, out=y)
    assert_ulps(y, BUILTINS[name](x.double()), torch.float32, f32_limit(name))


@triton.jit
def wide_exp(a):
    return tl.exp(a.to(tl.float32))


@triton.jit
def wide_log(a):
    return tl.log(a.to(tl.float32))


@triton.jit
def wide_sin(a):
    return tl.sin(a.to(tl.float32))


@triton.jit
def wide_sqrt(a):
    return tl.sqrt(a.to(tl.float32))


@triton.jit
def wide_rsqrt(a):
    return tl.rsqrt(a.to(tl.float32))


@triton.jit
def wide_floor(a):
    return tl.floor(a.to(tl.float32))


WIDENED = {name: globals()["wide_" + name] for name in ("exp", "log", "sin", "sqrt", "rsqrt", "floor")}


@triton.jit
def sigmoid(a):
    return tl.sigmoid(a)


def test_sigmoid():
    x = torch.linspace(-30, 30, 1024)
    assert_ulps(c.run(sigmoid, x, out=torch.empty_like(x)), torch.sigmoid(x.double()), torch.float32, 2.5)


@triton.jit
def precise_root(a):
    return tl.sqrt_rn(a)


def test_precise_square_root():
    x = arguments("sqrt", torch.float32)
    exact = x.double().sqrt().float()  # torch.sqrt of f32 is an ulp off now and then
    c.assert_same(c.run(precise_root, x, out=torch.empty_like(x)), exact)


# torch's own f64 functions are good to a few ulp of f64 only.
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", LIBDEVICE)
def test_libdevice_functions(name, dtype):
    x = arguments(name, dtype)
    y = apply(getattr(libdevice, name), x, out=torch.empty_like(x))
    if name == "j0" and dtype == torch.float64:
        pytest.skip("torch's bessel_j0 is good to f32 only")
    loose = {"lgamma": 64, "j0": 4096, "cyl_bessel_i0": 64, "erfinv": 64, "normcdf": 4096, "cbrt": 512, "exp10": 8, "erfc": 64,
             "acosh": 64, "asinh": 64, "atanh": 64}
    limit = f32_limit(name) if dtype == torch.float32 and name != "j0" else loose.get(name, 4)
    assert_ulps(y, LIBDEVICE[name](x.double()), dtype, limit)


BINARY = {"pow": torch.pow, "fmod": remainder, "atan2": torch.atan2, "hypot": torch.hypot, "copysign": torch.copysign}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_libdevice_functions_of_two(name, dtype):
    x, y = c.pairs(dtype)
    out = apply(getattr(libdevice, name), x, y, out=torch.empty_like(x))
    exact = BINARY[name](x.double(), y.double())
    assert_ulps(out, exact, dtype, 0.6 if dtype == torch.float32 else 4)


@pytest.mark.parametrize("name, exact", [("isnan", torch.isnan), ("isinf", torch.isinf), ("finitef", torch.isfinite),
                                         ("signbit", torch.signbit)])
def test_libdevice_predicates(name, exact):
    x = c.values(torch.float32)
    out = apply(getattr(libdevice, name), x, out=torch.empty(16, dtype=torch.int32))
    assert ((out != 0) == exact(x)).all()


def test_libdevice_rounding_to_integers():
    x = torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5, 1e6 + 0.5, -2.7, 3.2])
    assert apply(libdevice.llrint, x, out=torch.empty(8, dtype=torch.int64)).tolist() == x.round().long().tolist()
    assert apply(libdevice.float2int_rz, x, out=torch.empty(8, dtype=torch.int32)).tolist() == x.trunc().int().tolist()


def test_fast_forms_are_computed_precisely():
    x = torch.rand(64) + 0.5
    out = apply(libdevice.fast_expf, x, out=torch.empty_like(x))
    assert_ulps(out, x.double().exp(), torch.float32, f32_limit("exp"))
    quotient = apply(libdevice.fast_dividef, x, x.flip(0), out=torch.empty_like(x))
    c.assert_same(quotient, x / x.flip(0))
