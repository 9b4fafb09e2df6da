# SPDX-License-Identifier: Apache-2.0
"""Inline PTX that public kernels use: exact, but for the approximate functions."""

import triton
import triton.language as tl
import values as v
from suite import Case, In, Out

FAMILY = "asm"


@triton.jit
def one(x, out, ASM: tl.constexpr, C: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(
        out + i, tl.inline_asm_elementwise(ASM, C, [tl.load(x + i)], dtype=out.dtype.element_ty, is_pure=True, pack=P)
    )


@triton.jit
def two(x, y, out, ASM: tl.constexpr, C: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(
        out + i,
        tl.inline_asm_elementwise(
            ASM, C, [tl.load(x + i), tl.load(y + i)], dtype=out.dtype.element_ty, is_pure=True, pack=P
        ),
    )


@triton.jit
def three(x, y, z, out, ASM: tl.constexpr, C: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.inline_asm_elementwise(
        ASM, C, [tl.load(x + i), tl.load(y + i), tl.load(z + i)], dtype=out.dtype.element_ty, is_pure=True, pack=P
    )
    tl.store(out + i, a)


@triton.jit
def two_results(x, y, sum_out, difference_out, N: tl.constexpr):
    i = tl.arange(0, N)
    s, d = tl.inline_asm_elementwise(
        "add.s32 $0, $2, $3; sub.s32 $1, $2, $3;",
        "=r,=r,r,r",
        [tl.load(x + i), tl.load(y + i)],
        dtype=(tl.int32, tl.int32),
        is_pure=True,
        pack=1,
    )
    tl.store(sum_out + i, s)
    tl.store(difference_out + i, d)


@triton.jit
def int4_to_bytes(x, out, N: tl.constexpr):
    """Eight nibbles of a word by shifts, masks and a permutation."""
    i = tl.arange(0, N)
    a = tl.inline_asm_elementwise(
        """
        {
        .reg .b32 low, high;
        and.b32 low, $1, 0x0f0f0f0f;
        shr.b32 high, $1, 4;
        and.b32 high, high, 0x0f0f0f0f;
        prmt.b32 $0, low, high, 0x5140;
        }""",
        "=r,r",
        [tl.load(x + i)],
        dtype=tl.int32,
        is_pure=True,
        pack=1,
    )
    tl.store(out + i, a)


def spread(kind, seed):
    return v.spread(kind, 512, seed)


def mixed(kind, seed):
    return v.mixed(kind, 512, seed)


def positive(kind, seed):
    return v.spread(kind, 512, seed, 8).abs().clamp(min=2.0**-8)


def limited(kind, seed):
    return v.draw(kind, 512, seed, -3, 3)


def count(kind, seed):
    return mixed(kind, seed) if seed == 1 else v.small(kind, 512, seed, 0, 32)


KERNELS = (None, one, two, three)
# Name: text, operands, kind, kind of the result, values, ulps, elements to a register.
ROWS = {
    "add_rn": ("add.rn.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "sub_rz": ("sub.rz.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "mul_rm": ("mul.rm.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "mul_ftz": ("mul.ftz.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "add_ftz": ("add.ftz.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "add_sat": ("add.sat.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "div_rn": ("div.rn.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "fma_rn": ("fma.rn.f32 $0, $1, $2, $3;", 3, "f32", "f32", mixed, 0),
    "fma_rp": ("fma.rp.f32 $0, $1, $2, $3;", 3, "f32", "f32", spread, 0),
    "sqrt_rn": ("sqrt.rn.f32 $0, $1;", 1, "f32", "f32", mixed, 0),
    "rcp_rn": ("rcp.rn.f32 $0, $1;", 1, "f32", "f32", mixed, 0),
    "min_f32": ("min.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "max_nan": ("max.NaN.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "abs_f32": ("abs.f32 $0, $1;", 1, "f32", "f32", mixed, 0),
    "neg_f32": ("neg.f32 $0, $1;", 1, "f32", "f32", mixed, 0),
    "copysign": ("copysign.f32 $0, $1, $2;", 2, "f32", "f32", mixed, 0),
    "fma_f16": ("fma.rn.f16 $0, $1, $2, $3;", 3, "f16", "f16", mixed, 0),
    "fma_bf16x2": ("fma.rn.bf16x2 $0, $1, $2, $3;", 3, "bf16", "bf16", mixed, 0),
    "add_f16x2": ("add.f16x2 $0, $1, $2;", 2, "f16", "f16", mixed, 0),
    "max_bf16x2": ("max.bf16x2 $0, $1, $2;", 2, "bf16", "bf16", mixed, 0),
    "ex2": ("ex2.approx.f32 $0, $1;", 1, "f32", "f32", limited, 2),
    "ex2_ftz": ("ex2.approx.ftz.f32 $0, $1;", 1, "f32", "f32", limited, 2),
    "lg2": ("lg2.approx.f32 $0, $1;", 1, "f32", "f32", lambda kind, seed: v.draw(kind, 512, seed, 2, 60), 2),
    "rcp": ("rcp.approx.f32 $0, $1;", 1, "f32", "f32", positive, 1),
    "rsqrt": ("rsqrt.approx.f32 $0, $1;", 1, "f32", "f32", positive, 2),
    "sqrt": ("sqrt.approx.f32 $0, $1;", 1, "f32", "f32", positive, 1),
    "div_full": ("div.full.f32 $0, $1, $2;", 2, "f32", "f32", positive, 2),
    "tanh": ("tanh.approx.f32 $0, $1;", 1, "f32", "f32", limited, 256),
    "sin": ("sin.approx.f32 $0, $1;", 1, "f32", "f32", lambda kind, seed: v.draw(kind, 512, seed, 0.5, 2.5), 16),
    "tanh_f16x2": ("tanh.approx.f16x2 $0, $1;", 1, "f16", "f16", limited, 2),
    "ex2_bf16x2": ("ex2.approx.ftz.bf16x2 $0, $1;", 1, "bf16", "bf16", limited, 2),
    "mad_lo": ("mad.lo.s32 $0, $1, $2, $3;", 3, "i32", "i32", mixed, 0),
    "mul_hi": ("mul.hi.u32 $0, $1, $2;", 2, "u32", "u32", mixed, 0),
    "lop3": ("lop3.b32 $0, $1, $2, $3, 0xca;", 3, "i32", "i32", mixed, 0),
    "prmt": ("prmt.b32 $0, $1, $2, 0x3715;", 2, "i32", "i32", mixed, 0),
    "bfe": ("bfe.s32 $0, $1, 5, 11;", 1, "i32", "i32", mixed, 0),
    "bfi": ("bfi.b32 $0, $1, $2, 7, 9;", 2, "i32", "i32", mixed, 0),
    "popc": ("popc.b32 $0, $1;", 1, "i32", "i32", mixed, 0),
    "clz": ("clz.b32 $0, $1;", 1, "i32", "i32", mixed, 0),
    "brev": ("brev.b32 $0, $1;", 1, "i32", "i32", mixed, 0),
    "shl": ("shl.b32 $0, $1, $2;", 2, "i32", "i32", count, 0),
    "shr_s32": ("shr.s32 $0, $1, $2;", 2, "i32", "i32", count, 0),
    "min_u32": ("min.u32 $0, $1, $2;", 2, "u32", "u32", mixed, 0),
    "select": ("{ .reg .pred p; setp.lt.f32 p, $1, $2; selp.f32 $0, $1, $2, p; }", 2, "f32", "f32", mixed, 0),
    "predicated": (
        "{ .reg .pred p; setp.gt.s32 p, $1, 0; mov.b32 $0, $2; @p add.s32 $0, $1, $2; }",
        2,
        "i32",
        "i32",
        mixed,
        0,
    ),
    "to_integer": ("cvt.rni.s32.f32 $0, $1;", 1, "f32", "i32", mixed, 0),
    "to_unsigned": ("cvt.rzi.u32.f32 $0, $1;", 1, "f32", "u32", mixed, 0),
    "to_tf32": ("cvt.rna.tf32.f32 $0, $1;", 1, "f32", "f32", spread, 0),
    "to_float": ("cvt.rp.f32.s32 $0, $1;", 1, "i32", "f32", mixed, 0),
    "floor_by_cvt": ("cvt.rmi.f32.f32 $0, $1;", 1, "f32", "f32", mixed, 0),
}
PACKED = {"fma_bf16x2", "add_f16x2", "max_bf16x2", "tanh_f16x2", "ex2_bf16x2"}
LETTERS = {"f32": "f", "i32": "r", "u32": "r", "f16": "h", "bf16": "h"}


def row(name, text, operands, kind, out, values, ulps):
    letters = ["r"] * (operands + 1) if name in PACKED else [LETTERS[out]] + [LETTERS[kind]] * operands
    return Case(
        FAMILY,
        f"{name}.{kind}",
        KERNELS[operands],
        lambda: [*[In(values(kind, seed)) for seed in range(1, operands + 1)], Out(out, 512)],
        (1,),
        {"ASM": text, "C": "=" + ",".join(letters), "P": 2 if name in PACKED else 1, "N": 512},
        ulps,
    )


CASES = [
    *[row(name, *rest) for name, rest in ROWS.items()],
    Case(
        FAMILY,
        "two_results.i32",
        two_results,
        lambda: [In(mixed("i32", 1)), In(mixed("i32", 2)), Out("i32", 512), Out("i32", 512)],
        constants={"N": 512},
    ),
    Case(
        FAMILY, "int4_to_bytes.i32", int4_to_bytes, lambda: [In(mixed("i32", 1)), Out("i32", 512)], constants={"N": 512}
    ),
]
