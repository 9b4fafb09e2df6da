# SPDX-License-Identifier: Apache-2.0
"""Conversions between all kinds, the rounding modes of casts and of libdevice, bit casts: all exact."""

import triton
import triton.language as tl
import values as v
from suite import Case, In, Out, elementwise
from triton.language.extra.cuda import libdevice

FAMILY = "convert"


@triton.jit
def to_integers(x, i8, i16, i32, i64, u8, u16, u32, u64, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(i8 + i, a.to(tl.int8))
    tl.store(i16 + i, a.to(tl.int16))
    tl.store(i32 + i, a.to(tl.int32))
    tl.store(i64 + i, a.to(tl.int64))
    tl.store(u8 + i, a.to(tl.uint8))
    tl.store(u16 + i, a.to(tl.uint16))
    tl.store(u32 + i, a.to(tl.uint32))
    tl.store(u64 + i, a.to(tl.uint64))


@triton.jit
def to_floats(x, f16, bf16, f32, f64, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(f16 + i, a.to(tl.float16))
    tl.store(bf16 + i, a.to(tl.bfloat16))
    tl.store(f32 + i, a.to(tl.float32))
    tl.store(f64 + i, a.to(tl.float64))


@triton.jit
def to_fp8(x, e4m3, e5m2, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(e4m3 + i, a.to(tl.float8e4nv))
    tl.store(e5m2 + i, a.to(tl.float8e5))


@triton.jit
def from_fp8(x, f16, bf16, f32, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(f16 + i, a.to(tl.float16))
    tl.store(bf16 + i, a.to(tl.bfloat16))
    tl.store(f32 + i, a.to(tl.float32))


@triton.jit
def to_bool(x, out, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(tl.int1))


@triton.jit
def narrow_toward_zero(x, f16, bf16, e5m2, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(f16 + i, a.to(tl.float16, fp_downcast_rounding="rtz"))
    tl.store(bf16 + i, a.to(tl.bfloat16, fp_downcast_rounding="rtz"))
    tl.store(e5m2 + i, a.to(tl.float8e5, fp_downcast_rounding="rtz"))


@triton.jit
def e4b15_and_back(x, codes, wide, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(codes + i, tl.load(x + i).to(tl.float8e4b15).to(tl.uint8, bitcast=True))
    tl.store(wide + i, i.to(tl.uint8).to(tl.float8e4b15, bitcast=True).to(tl.float16))


@triton.jit
def reinterpret(x, signed, unsigned, back, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)
    tl.store(signed + i, a.to(signed.dtype.element_ty, bitcast=True) ^ 1)
    tl.store(unsigned + i, a.to(unsigned.dtype.element_ty, bitcast=True) >> 1)
    tl.store(back + i, (a.to(unsigned.dtype.element_ty, bitcast=True) ^ 2).to(back.dtype.element_ty, bitcast=True))


@triton.jit
def magic_round(a):
    """Rounds to whole numbers by the sum with 1.5 * 2^23."""
    return (a + 12582912.0) - 12582912.0


@triton.jit
def split_parts(a):
    """High part in bf16, low part in bf16, summed again."""
    high = a.to(tl.bfloat16)
    low = (a - high.to(tl.float32)).to(tl.bfloat16)
    return high.to(tl.float32) + low.to(tl.float32)


@triton.jit
def quantize(a):
    """Symmetric int8 with rounding to nearest by libdevice."""
    return tl.clamp(libdevice.rint(a * 16.0), -127.0, 127.0).to(tl.int8)


@triton.jit
def quantize_fp8(a):
    return tl.clamp(a * 32.0, -448.0, 448.0).to(tl.float8e4nv).to(tl.float32)


@triton.jit
def nearest_integer(a):
    return libdevice.float2int_rn(a)


@triton.jit
def lower_integer(a):
    return libdevice.float2int_rd(a)


@triton.jit
def upper_integer(a):
    return libdevice.float2int_ru(a)


@triton.jit
def unsigned_nearest(a):
    return libdevice.float2uint_rn(a)


@triton.jit
def long_nearest(a):
    return libdevice.float2ll_rn(a)


@triton.jit
def long_truncated(a):
    return libdevice.float2ll_rz(a)


@triton.jit
def unsigned_long_up(a):
    return libdevice.float2ull_ru(a)


@triton.jit
def double_to_int_down(a):
    return libdevice.double2int_rd(a)


@triton.jit
def double_to_long_nearest(a):
    return libdevice.double2ll_rn(a)


@triton.jit
def double_to_float_down(a):
    return libdevice.double2float_rd(a)


@triton.jit
def double_to_float_up(a):
    return libdevice.double2float_ru(a)


@triton.jit
def double_to_float_truncated(a):
    return libdevice.double2float_rz(a)


@triton.jit
def int_to_float_down(a):
    return libdevice.int2float_rd(a)


@triton.jit
def int_to_float_up(a):
    return libdevice.int2float_ru(a)


@triton.jit
def unsigned_to_float_truncated(a):
    return libdevice.uint2float_rz(a)


@triton.jit
def long_to_float_up(a):
    return libdevice.ll2float_ru(a)


@triton.jit
def long_to_double_down(a):
    return libdevice.ll2double_rd(a)


@triton.jit
def unsigned_long_to_double_truncated(a):
    return libdevice.ull2double_rz(a)


@triton.jit
def halves_of_a_double(a):
    return libdevice.hiloint2double(libdevice.double2loint(a), libdevice.double2hiint(a) & 0x7FEFFFFF)


@triton.jit
def rounded_to_long(a):
    return libdevice.llrint(a) + libdevice.llround(a)


def patterns(kind):
    """Every pattern of a narrow kind; edge values, any bits and ordinary numbers of a wide one."""
    return v.every(kind) if v.TORCH[kind].itemsize <= 2 and kind != "bool" else v.mixed(kind, 4096, 1)


def whole_kind(kernel, kinds, outputs, source=patterns):
    def case(kind):
        count = source(kind).numel()
        block = min(1024, count)
        return Case(
            FAMILY,
            f"{kernel.__name__}.{kind}",
            kernel,
            lambda: [In(source(kind)), *[Out(out, count) for out in outputs]],
            (count // block,),
            {"N": block},
        )

    return [case(kind) for kind in kinds]


def ordinary(kind):
    """Within the range of every target: what lies beyond has no promise in this mode."""
    return v.joined([v.spread(kind, 3072, 1, 13), v.draw(kind, 1024, 3)])


def each(function, kinds, **how):
    return elementwise(FAMILY, function, kinds, **how)


def numbers(kind, n, seed):
    """Whole and half numbers about the limits of the integer kinds, and ordinary ones."""
    tops = [float(2**k) for k in (7, 8, 15, 16, 31, 32, 63, 64)]
    near = [s * t + d for t in tops for s in (1, -1) for d in (-1.5, -1, -0.5, 0, 0.5, 1)]
    parts = [v.mixed(kind, n - 512, seed), v.as_kind(kind, (near * 6)[:512])]
    return v.joined(parts)


CASES = [
    *whole_kind(to_integers, [*v.INTEGERS, "bool"], v.INTEGERS),
    *whole_kind(to_integers, v.FLOATS, v.INTEGERS, lambda kind: numbers(kind, 4096, 1)),
    *whole_kind(to_floats, [*v.INTEGERS, *v.FLOATS], v.FLOATS),
    *whole_kind(to_fp8, v.FLOATS[:3], v.FP8),
    *whole_kind(from_fp8, v.FP8, v.FLOATS[:3]),
    *whole_kind(to_bool, [*v.INTEGERS, *v.FLOATS], ["bool"]),
    *whole_kind(narrow_toward_zero, ["f32"], ["f16", "bf16", "e5m2"], ordinary),
    Case(
        FAMILY,
        "e4b15_and_back.f16",
        e4b15_and_back,
        lambda: [In(v.draw("f16", 256, 1, -1.9, 1.9)), Out("u8", 256), Out("f16", 256)],
        constants={"N": 256},
    ),
    *[
        Case(
            FAMILY,
            f"reinterpret.{a}",
            reinterpret,
            lambda a=a, s=s, u=u: [In(v.mixed(a, 1024, 1)), Out(s, 1024), Out(u, 1024), Out(a, 1024)],
            constants={"N": 1024},
        )
        for a, s, u in (("f16", "i16", "u16"), ("bf16", "i16", "u16"), ("f32", "i32", "u32"), ("f64", "i64", "u64"))
    ],
    *each(magic_round, ["f32"]),
    *each(split_parts, ["f32"], values=v.spread),
    *each(quantize, ["f32"], out="i8", values=v.spread),
    *each(quantize_fp8, ["f32"], values=v.spread),
    *each(nearest_integer, ["f32"], out="i32", values=numbers),
    *each(lower_integer, ["f32"], out="i32", values=numbers),
    *each(upper_integer, ["f32"], out="i32", values=numbers),
    *each(unsigned_nearest, ["f32"], out="u32", values=numbers),
    *each(long_nearest, ["f32"], out="i64", values=numbers),
    *each(long_truncated, ["f32"], out="i64", values=numbers),
    *each(unsigned_long_up, ["f32"], out="u64", values=numbers),
    *each(double_to_int_down, ["f64"], out="i32", values=numbers),
    *each(double_to_long_nearest, ["f64"], out="i64", values=numbers),
    *each(double_to_float_down, ["f64"], out="f32"),
    *each(double_to_float_up, ["f64"], out="f32"),
    *each(double_to_float_truncated, ["f64"], out="f32"),
    *each(int_to_float_down, ["i32"], out="f32"),
    *each(int_to_float_up, ["i32"], out="f32"),
    *each(unsigned_to_float_truncated, ["u32"], out="f32"),
    *each(long_to_float_up, ["i64"], out="f32"),
    *each(long_to_double_down, ["i64"], out="f64"),
    *each(unsigned_long_to_double_truncated, ["u64"], out="f64"),
    *each(halves_of_a_double, ["f64"]),
    *each(rounded_to_long, ["f32", "f64"], out="i64", values=v.spread),
]
