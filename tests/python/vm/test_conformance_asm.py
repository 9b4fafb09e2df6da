# SPDX-License-Identifier: Apache-2.0
"""Inline PTX on the virtual machine: the instructions that public kernels use, and refusals by name."""
import conformance as c
import numpy as np
import pytest
import torch
import triton
import triton.language as tl

F32, F16, BF16, I32, U32, I64 = (torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.uint32, torch.int64)


@triton.jit
def one(x, out, ASM: tl.constexpr, C: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.inline_asm_elementwise(ASM, C, [tl.load(x + i)], dtype=out.dtype.element_ty, is_pure=True, pack=P))


@triton.jit
def two(x, y, out, ASM: tl.constexpr, C: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.inline_asm_elementwise(ASM, C, [tl.load(x + i), tl.load(y + i)], dtype=out.dtype.element_ty, is_pure=True, pack=P))


@triton.jit
def three(x, y, z, out, ASM: tl.constexpr, C: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise(ASM, C, [tl.load(x + i), tl.load(y + i), tl.load(z + i)], dtype=out.dtype.element_ty, is_pure=True, pack=P)
    tl.store(out + i, v)


def run(asm, *inputs, out, constraints=None, pack=1):
    if constraints is None:
        constraints = ",".join(["=r", *["r"] * len(inputs)])
    target = torch.empty(inputs[0].numel(), dtype=out)
    result = c.launch([one, two, three][len(inputs) - 1], (1,), *inputs, target, ASM=asm, C=constraints,
                      P=pack, N=inputs[0].numel())
    assert result["findings"] == [], result["findings"]
    return target


def edges(dtype, n=256):
    a, b = c.pairs(dtype)
    return a[:n].clone(), b[:n].clone()


def flush(x):
    return torch.where(x.abs() < torch.finfo(F32).tiny, torch.zeros_like(x).copysign(x), x)


BINARY = {"add.f32": torch.add, "add.rn.f32": torch.add, "sub.f32": torch.sub, "mul.rn.f32": torch.mul,
          "div.rn.f32": torch.div, "div.full.f32": torch.div}


@pytest.mark.parametrize("name", list(BINARY))
def test_f32_arithmetic(name):
    a, b = edges(F32)
    c.assert_same(run(f"{name} $0, $1, $2;", a, b, out=F32), BINARY[name](a, b))


def test_f32_arithmetic_with_flushed_denormals():
    a, b = edges(F32)
    c.assert_same(run("add.ftz.f32 $0, $1, $2;", a, b, out=F32), flush(flush(a) + flush(b)))
    c.assert_same(run("mul.ftz.f32 $0, $1, $2;", a, b, out=F32), flush(flush(a) * flush(b)))


@pytest.mark.parametrize("dtype, word", [(F16, "f16"), (BF16, "bf16")], ids=str)
def test_half_arithmetic(dtype, word):
    a, b = edges(dtype)
    z = torch.randn(256).to(dtype)
    h = "=h,h,h"
    c.assert_same(run(f"add.{word} $0, $1, $2;", a, b, out=dtype, constraints=h), (a.float() + b.float()).to(dtype))
    c.assert_same(run(f"mul.{word} $0, $1, $2;", a, b, out=dtype, constraints=h), (a.float() * b.float()).to(dtype))
    x, y = torch.randn(256).to(dtype), torch.randn(256).to(dtype)
    got = run(f"fma.rn.{word} $0, $1, $2, $3;", x, y, z, out=dtype, constraints="=h,h,h,h")
    c.assert_same(got, (x.double() * y.double() + z.double()).to(dtype))
    pairs = run(f"fma.rn.{word}x2 $0, $1, $2, $3;", x, y, z, out=dtype, pack=2, constraints="=r,r,r,r")
    c.assert_same(pairs, got)


def test_fma_rounds_once():
    x, y, z = (torch.randn(1024) for _ in range(3))
    got = run("fma.rn.f32 $0, $1, $2, $3;", x, y, z, out=F32)
    exact = x.double() * y.double() + z.double()  # the product is exact, the sum is off by less than 2^-53
    assert (got.double() - exact).abs().le(exact.abs() * 2.0**-24 * (1 + 2.0**-20)).all()
    a = torch.full((32,), 1 + 2.0**-12)
    assert (run("fma.rn.f32 $0, $1, $1, $2;", a, torch.full((32,), -1.0), out=F32) == 2.0**-11 + 2.0**-24).all()
    down, up = (run(f"fma.{m}.f32 $0, $1, $2, $3;", x, y, z, out=F32) for m in ("rm", "rp"))
    assert (down.double() <= exact).all() and (up.double() >= exact).all() and (down <= got).all() and (got <= up).all()


APPROXIMATE = {"ex2.approx.f32": torch.exp2, "ex2.approx.ftz.f32": torch.exp2, "lg2.approx.f32": torch.log2,
               "rcp.approx.f32": torch.reciprocal, "rcp.approx.ftz.f32": torch.reciprocal, "rcp.rn.f32": torch.reciprocal,
               "sqrt.approx.f32": torch.sqrt, "sqrt.rn.f32": torch.sqrt, "rsqrt.approx.f32": torch.rsqrt,
               "rsqrt.approx.ftz.f32": torch.rsqrt, "tanh.approx.f32": torch.tanh, "sin.approx.f32": torch.sin,
               "cos.approx.f32": torch.cos}


@pytest.mark.parametrize("name", list(APPROXIMATE))
def test_functions(name):
    x = torch.cat([c.values(F32), torch.randn(240) * 8])
    got, exact = run(f"{name} $0, $1;", x, out=F32), APPROXIMATE[name]((flush(x) if "ftz" in name else x).double())
    if "ftz" in name:
        exact = flush(exact.float()).double()
    assert torch.equal(got.isnan(), exact.isnan())
    near = (got.double() - exact).abs() <= exact.abs() * 2.0**-24 + 2.0**-150
    assert (got.isnan() | near | (got.double() == exact.float().double())).all()


def test_approximate_functions_of_halves():
    x = (torch.randn(256) * 3).half()
    got = run("tanh.approx.f16x2 $0, $1;", x, out=F16, pack=2)
    c.assert_same(got, torch.tanh(x.double()).half())
    got = run("ex2.approx.ftz.bf16x2 $0, $1;", x.bfloat16(), out=BF16, pack=2)
    c.assert_same(got, torch.exp2(x.bfloat16().double()).bfloat16())


@pytest.mark.parametrize("dtype, word", [(F32, "f32"), (F16, "f16"), (BF16, "bf16")], ids=str)
def test_extremes(dtype, word):
    a, b = edges(dtype)
    constraints = None if dtype == F32 else "=h,h,h"
    x, y = a.double(), b.double()
    for op, dropping, keeping in (("min", torch.fmin, torch.minimum), ("max", torch.fmax, torch.maximum)):
        got = run(f"{op}.{word} $0, $1, $2;", a, b, out=dtype, constraints=constraints)
        zeros = (x == 0) & (y == 0)
        c.assert_same(torch.where(zeros, torch.ones_like(got), got), torch.where(zeros, 1.0, dropping(x, y)).to(dtype))
        assert (got[zeros].signbit() == ((a.signbit() | b.signbit()) if op == "min" else (a.signbit() & b.signbit()))[zeros]).all()
        got = run(f"{op}.NaN.{word} $0, $1, $2;", a, b, out=dtype, constraints=constraints)
        c.assert_same(torch.where(zeros, torch.ones_like(got), got), torch.where(zeros, 1.0, keeping(x, y)).to(dtype))


def integers(op, dtype):
    """The exact result of a two-operand integer instruction as Python numbers."""
    a, b = edges(dtype)
    return a, b, [op(x, y) for x, y in zip(c.exact_integers(a), c.exact_integers(b))]


def divide(x, y):
    return -1 if y == 0 else int(np.sign(x) * np.sign(y)) * (abs(x) // abs(y))


INTEGER = [("add.s32", I32, lambda x, y: x + y), ("sub.u32", U32, lambda x, y: x - y), ("mul.lo.s32", I32, lambda x, y: x * y),
           ("mul.hi.s32", I32, lambda x, y: x * y >> 32), ("mul.hi.u32", U32, lambda x, y: x * y >> 32),
           ("min.s32", I32, min), ("max.u32", U32, max), ("and.b32", I32, lambda x, y: x & y),
           ("or.b32", I32, lambda x, y: x | y), ("xor.b32", U32, lambda x, y: x ^ y), ("div.s32", I32, divide),
           ("rem.u32", U32, lambda x, y: x % y if y else x), ("shl.b32", U32, lambda x, y: x << y if y < 32 else 0),
           ("shr.u32", U32, lambda x, y: x >> min(y, 64)), ("shr.s32", I32, lambda x, y: x >> (min(y, 31) if y >= 0 else 31)),
           ("add.s64", I64, lambda x, y: x + y), ("mul.lo.u64", torch.uint64, lambda x, y: x * y),
           ("mul.hi.u64", torch.uint64, lambda x, y: x * y >> 64)]


@pytest.mark.parametrize("name, dtype, op", INTEGER, ids=lambda v: v if isinstance(v, str) else "")
def test_integer_arithmetic(name, dtype, op):
    a, b, exact = integers(op, dtype)
    wide = dtype in (I64, torch.uint64)
    got = run(f"{name} $0, $1, $2;", a, b, out=dtype, constraints="=l,l,l" if wide else None)
    c.assert_same(got, c.wrapped(exact, dtype))


def test_wide_products():
    a, b, exact = integers(lambda x, y: x * y, I32)
    c.assert_same(run("mul.wide.s32 $0, $1, $2;", a, b, out=I64, constraints="=l,r,r"), c.wrapped(exact, I64))
    a, b, exact = integers(lambda x, y: x * y + y, U32)
    asm = "{.reg .u64 w; cvt.u64.u32 w, $2; mad.wide.u32 $0, $1, $2, w;}"
    c.assert_same(run(asm, a, b, out=torch.uint64, constraints="=l,r,r"), c.wrapped(exact, torch.uint64))


def test_bits():
    x = torch.randint(-2**31, 2**31, (256,)).int()
    y, u = torch.randint(0, 40, (256,)).int(), [v & 0xFFFFFFFF for v in x.tolist()]
    for name, exact in (("popc.b32", lambda v: bin(v).count("1")), ("clz.b32", lambda v: 32 - v.bit_length()),
                        ("brev.b32", lambda v: int(f"{v:032b}"[::-1], 2)), ("not.b32", lambda v: ~v)):
        c.assert_same(run(f"{name} $0, $1;", x, out=I32), c.wrapped([exact(v) for v in u], I32))
    fields = [(v >> p) & 0x1F if p < 32 else 0 for v, p in zip(u, y.tolist())]
    c.assert_same(run("bfe.u32 $0, $1, $2, 5;", x, y, out=I32), c.wrapped(fields, I32))

    def signed_field(v, p):
        out = 0
        for i in range(5):
            out |= (v >> min(p + i, 31) & 1) << i
        return out - 32 if out & 16 else out

    c.assert_same(run("bfe.s32 $0, $1, $2, 5;", x, y, out=I32), c.wrapped([signed_field(v, p) for v, p in zip(u, y.tolist())], I32))
    inserted = [(v & ~((0xFF << p) & 0xFFFFFFFF) | (0x5A << p)) & 0xFFFFFFFF if p < 32 else v for v, p in zip(u, y.tolist())]
    c.assert_same(run("bfi.b32 $0, 0x5A, $1, $2, 8;", x, y, out=I32), c.wrapped(inserted, I32))
    z = torch.randint(-2**31, 2**31, (256,)).int()
    for table, exact in ((0xEA, (x & y) | z), (0xF8, x | (y & z)), (0x96, x ^ y ^ z), (0xE8, (x & y) | (x & z) | (y & z))):
        c.assert_same(run(f"lop3.b32 $0, $1, $2, $3, {table:#x};", x, y, z, out=I32), exact)


def test_byte_permutation():
    x, y = (torch.randint(-2**31, 2**31, (256,)).int() for _ in range(2))
    rows = torch.stack([x, y], 1).contiguous().view(torch.uint8).view(256, 8).long()
    for selector in (0x3210, 0x7531, 0x5746, 0x0000, 0x6420):
        picked = torch.stack([rows[:, selector >> (4 * i) & 7] for i in range(4)], 1).to(torch.uint8)
        c.assert_same(run(f"prmt.b32 $0, $1, $2, {selector:#x};", x, y, out=I32), picked.view(torch.int32).reshape(-1))
    signs = torch.where(rows[:, 3:4] >= 128, 255, 0).expand(256, 4).to(torch.uint8).contiguous()
    c.assert_same(run("prmt.b32 $0, $1, $2, 0xBBBB;", x, y, out=I32), signs.view(torch.int32).reshape(-1))


def test_predicates():
    a, b = edges(F32)
    got = run("{.reg .pred p, q; setp.lt.f32 p, $1, $2; selp.b32 $0, 1, 0, p; @!p mov.u32 $0, 7;}", a, b, out=I32)
    c.assert_same(got, torch.where(a < b, 1, 7).int())
    got = run("{.reg .pred p; setp.geu.f32 p, $1, $2; selp.b32 $0, 1, 0, p;}", a, b, out=I32)
    c.assert_same(got, (~(a < b)).int())
    x, y = edges(I32)
    got = run("{.reg .pred p, q, r; setp.gt.s32 p|q, $1, $2; setp.hi.u32 r, $1, $2; and.pred p, p, r; selp.s32 $0, $1, $2, p;}",
              x, y, out=I32)
    u, v = x.long() & 0xFFFFFFFF, y.long() & 0xFFFFFFFF
    c.assert_same(got, torch.where((x > y) & (u > v), x, y))


def test_conversions_of_floats():
    a = torch.cat([c.values(F32), torch.randn(240) * 100])
    c.assert_same(run("cvt.rn.bf16.f32 $0, $1;", a, out=BF16, constraints="=h,r"), a.bfloat16())
    c.assert_same(run("cvt.rn.f16.f32 $0, $1;", a, out=F16, constraints="=h,r"), a.half())
    c.assert_same(run("cvt.f32.f16 $0, $1;", a.half(), out=F32, constraints="=r,h"), a.half().float())
    c.assert_same(run("cvt.f64.f32 $0, $1;", a, out=torch.float64, constraints="=d,r"), a.double())
    c.assert_same(run("cvt.rni.f32.f32 $0, $1;", a, out=F32), a.round())
    c.assert_same(run("cvt.rmi.f32.f32 $0, $1;", a, out=F32), a.floor())
    whole = a.double().nan_to_num(nan=0.0).round().clamp(-2**31, 2**31 - 1).int()
    c.assert_same(run("cvt.rni.s32.f32 $0, $1;", a, out=I32), whole)
    below = a.double().nan_to_num(nan=0.0).trunc().clamp(0, 2**32 - 1).long()
    c.assert_same(run("cvt.rzi.u32.f32 $0, $1;", a, out=U32), below.to(U32))
    bits = a.view(I32).long() & 0xFFFFFFFF
    tf32 = torch.where(a.isfinite(), (bits + 0x1000) & 0xFFFFE000, bits)
    tf32 = torch.where(tf32 >= 2**31, tf32 - 2**32, tf32).int().view(F32)
    c.assert_same(run("cvt.rna.tf32.f32 $0, $1;", a, out=F32), tf32)
    x = torch.from_numpy(c.integer_values(I32)).repeat(16)
    c.assert_same(run("cvt.rn.f32.s32 $0, $1;", x, out=F32), x.float())
    c.assert_same(run("cvt.sat.u8.s32 $0, $1;", x, out=I32), x.clamp(0, 255))


@pytest.mark.parametrize("word, kind", [("e4m3x2", torch.float8_e4m3fn), ("e5m2x2", torch.float8_e5m2)], ids=str)
def test_packs_of_fp8(word, kind):
    a, b = torch.randn(256) * 50, torch.randn(256) * 2**-7
    a[:4] = torch.tensor([1e6, -1e6, 448.0, 464.0])
    top = torch.finfo(kind).max
    asm = "{.reg .b16 t; cvt.rn.satfinite.%s.f32 t, $2, $1; cvt.u32.u16 $0, t;}" % word
    got = run(asm, a, b, out=I32)
    low, high = (t.clamp(-top, top).to(kind).view(torch.uint8).int() for t in (a, b))
    c.assert_same(got, low | high << 8)
    # And back: the pair as two f16.
    asm = "{.reg .b16 t; cvt.u16.u32 t, $1; cvt.rn.f16x2.%s $0, t;}" % word
    back = run(asm, got, out=I32).view(F16).view(256, 2)
    c.assert_same(back[:, 0].contiguous(), low.to(torch.uint8).view(kind).half())
    c.assert_same(back[:, 1].contiguous(), high.to(torch.uint8).view(kind).half())


@pytest.mark.parametrize("word, kind", [("f16x2", F16), ("bf16x2", BF16)], ids=str)
def test_packs_of_halves(word, kind):
    a, b = edges(F32)
    got = run(f"cvt.rn.{word}.f32 $0, $2, $1;", a, b, out=I32).view(kind).view(256, 2)
    c.assert_same(got[:, 0].contiguous(), a.to(kind))
    c.assert_same(got[:, 1].contiguous(), b.to(kind))


def test_packs_of_e2m1():
    grid = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    x = torch.cat([grid, -grid, torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 100.0]), torch.randn(232) * 3])
    got = run("{.reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $1; cvt.u32.u8 $0, t;}", x, out=I32)
    assert torch.equal(got & 15, got >> 4)
    magnitude = grid[(got & 7).long()]
    best = (x.abs()[:, None] - grid).abs().amin(1)
    assert torch.equal((x.abs() - magnitude).abs(), best)
    assert (got[16:23] & 7).tolist() == [0, 2, 2, 4, 4, 6, 6]  # ties to the even code
    assert torch.equal((got & 8) != 0, x.signbit())


@triton.jit
def unpack_bytes(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("""{
        // four bytes of one register
        .reg .b8 a, b, c, d;
        .reg .b32 t<4>;
        mov.b32 {a, b, c, d}, $4;
        cvt.s32.s8 t0, a; cvt.s32.s8 t1, b;
        cvt.s32.s8 t2, c; cvt.s32.s8 t3, d;
        cvt.rn.f32.s32 $0, t0; cvt.rn.f32.s32 $1, t1; /* the rest */
        cvt.rn.f32.s32 $2, t2; cvt.rn.f32.s32 $3, t3;
    }""", "=f,=f,=f,=f,r", [tl.load(x + i)], dtype=tl.float32, is_pure=True, pack=4)
    tl.store(out + i, v)


def test_groups_of_packed_elements():
    x, out = torch.randint(-128, 128, (64,), dtype=torch.int8), torch.empty(64)
    assert c.launch(unpack_bytes, (1,), x, out, N=64)["findings"] == []
    c.assert_same(out, x.float())


@triton.jit
def two_results(x, low, high, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.inline_asm_elementwise("mov.b64 {$0, $1}, $2;", "=r,=r,l", [tl.load(x + i)], dtype=(tl.int32, tl.int32),
                                     is_pure=False, pack=1)
    tl.store(low + i, a)
    tl.store(high + i, b)


def test_several_results():
    x = torch.randint(-2**62, 2**62, (32,))
    low, high = torch.empty(32, dtype=torch.int32), torch.empty(32, dtype=torch.int32)
    assert c.launch(two_results, (1,), x, low, high, N=32)["findings"] == []
    c.assert_same(torch.stack([low, high], 1).view(torch.int64).reshape(-1), x)


@triton.jit
def scalar_asm(out):
    tl.extra.cuda.gdc_wait()
    value = tl.inline_asm_elementwise("mov.u32 $0, 0x2A;", "=r", [], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out, value)


def test_scalars_without_operands():
    out = torch.empty(1, dtype=torch.int32)
    assert c.launch(scalar_asm, (1,), out)["findings"] == []
    assert out.item() == 42


@triton.jit
def timer(out):
    tl.store(out, tl.extra.cuda.globaltimer())


@triton.jit
def multiprocessor(out):
    tl.store(out, tl.extra.cuda.smid())


@pytest.mark.parametrize("kernel, name", [(timer, "%globaltimer"), (multiprocessor, "%smid")], ids=str)
def test_clocks_and_places_are_refused_by_name(kernel, name):
    result = c.launch(kernel, (1,), torch.empty(1, dtype=torch.int64))
    assert [f["kind"] for f in result["findings"]] == ["unsupported"]
    assert name in result["findings"][0]["message"]


@pytest.mark.parametrize("asm, named", [
    ("shfl.sync.bfly.b32 $0, $1, 1, 31, -1;", "shfl.sync.bfly.b32"),
    ("ld.global.b32 $0, [$1];", "ld.global.b32"),
    ("L: add.f32 $0, $1, $1; bra L;", "L"),
    ("cvt.rs.f16x2.f32 $0, $1, $1, $1;", "cvt.rs.f16x2.f32"),
    ("add.f32 $0, $1, bogus;", "bogus"),
    ("add.f32 $0, $1, $2;", "$2"),
    ("add.f32 $0, $1", "add.f32"),
    ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 $0, $1;", "mma.sync"),
    ("{.reg .b32 t<999>; mov.b32 $0, $1;}", ".reg"),
    ("setp.lt.f16x3 $0, $1, $1;", "setp.lt.f16x3"),
    ("mov.b64 {{{{$0}}}}, $1;", "mov.b64"),
    ("{" + ".reg .b32 t<256>;" * 20 + "}", "registers"),
    ("mov.b32 $0, $1;" * 5000, "instructions"),
    ("mov.b32 $0, 0f3F8;", "0f3F8"),
    ("/* never closed", ""),
    ("@%p mov.b32 $0, $1;", "@%p"),
    ("mov.b32 $99999999999999999999, $1;", "mov.b32"),
])
def test_what_is_not_executed_is_named(asm, named):
    x, out = torch.randn(32), torch.empty(32)
    result = c.launch(one, (1,), x, out, ASM=asm, C="=r,r", P=1, N=32)
    if named == "":  # nothing is left to execute
        assert result["findings"] == [] and (out == 0).all()
        return
    assert [f["kind"] for f in result["findings"]] == ["unsupported"], result["findings"]
    assert named in result["findings"][0]["message"]
