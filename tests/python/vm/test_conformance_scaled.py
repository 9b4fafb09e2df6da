# SPDX-License-Identifier: Apache-2.0
"""tl.dot_scaled and the split products of f32 on the virtual machine, against f64 on the values that the codes mean."""
import conformance as c
import numpy as np
import pytest
import torch
import triton
import triton.language as tl

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6], dtype=torch.float64)
PLAIN = {"e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2, "bf16": torch.bfloat16, "fp16": torch.float16}


def launch(kernel, grid, *args, **kw):
    result = c.launch(kernel, grid, *args, **kw)
    assert result["findings"] == [], result["findings"]


@triton.jit
def tile(p, R: tl.constexpr, C: tl.constexpr):
    return tl.load(p + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])


@triton.jit
def scaled(a, sa, b, sb, acc, out, AR: tl.constexpr, AC: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
           M: tl.constexpr, N: tl.constexpr, G: tl.constexpr, FA: tl.constexpr, FB: tl.constexpr, HA: tl.constexpr,
           HB: tl.constexpr, KA: tl.constexpr, KB: tl.constexpr, FAST: tl.constexpr):
    x, y = tile(a, AR, AC), tile(b, BR, BC)
    s = tile(sa, M, G) if HA else None
    t = tile(sb, N, G) if HB else None
    d = tl.dot_scaled(x, s, FA, y, t, FB, tile(acc, M, N), lhs_k_pack=KA, rhs_k_pack=KB, fast_math=FAST)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], d)


def operand(form, rows, columns, packed_rows, generator):
    """What the kernel loads and the matrix that it means."""
    if form != "e2m1":
        stored = torch.randn(rows, columns, generator=generator).to(PLAIN[form])
        return (stored.view(torch.uint8) if form in ("e4m3", "e5m2") else stored), stored.double()
    codes = torch.randint(0, 16, (rows, columns), generator=generator)
    pairs = codes.view(rows // 2, 2, columns).transpose(0, 1) if packed_rows else codes.view(rows, columns // 2, 2).permute(2, 0, 1)
    return (pairs[0] | pairs[1] << 4).to(torch.uint8).contiguous(), E2M1[codes]


def scale_value(codes, half):
    """e8m0 as Triton's lowering reads it: the exponent field of a bf16 or, for fp16, of an f32."""
    wide = torch.from_numpy((codes.numpy().astype(np.uint32) << 23).view(np.float32))
    value = wide.to(torch.float16).double() if half else wide.double()
    return torch.where(codes == 255, torch.tensor(float("nan"), dtype=torch.float64), value)


def run(fa, fb, has_a=True, has_b=True, pack_a=True, pack_b=True, fast=False, m=32, n=16, k=64, scales=None, seed=3):
    generator = torch.Generator().manual_seed(seed)
    a, xa = operand(fa, m, k, not pack_a, generator)
    b, xb = operand(fb, k, n, pack_b, generator)
    draw = scales or (lambda *shape: torch.randint(122, 132, shape, generator=generator, dtype=torch.uint8))
    sa, sb = draw(m, k // 32), draw(n, k // 32)
    acc, out = torch.randn(m, n, generator=generator), torch.empty(m, n)
    launch(scaled, (1,), a, sa, b, sb, acc, out, AR=a.shape[0], AC=a.shape[1], BR=b.shape[0], BC=b.shape[1], M=m, N=n,
           G=k // 32, FA=fa, FB=fb, HA=has_a, HB=has_b, KA=pack_a, KB=pack_b, FAST=fast)
    half = "fp16" in (fa, fb)
    compute = torch.float16 if half else torch.bfloat16
    left, right = xa.to(compute).double(), xb.to(compute).double()
    if has_a:
        left = (left * scale_value(sa, half).repeat_interleave(32, 1)).to(compute).double()
    if has_b:
        right = (right * scale_value(sb, half).repeat_interleave(32, 1).t()).to(compute).double()
    return out, left, right, acc


def check(out, left, right, acc):
    exact = left @ right + acc.double()
    bound = (left.shape[1] + 2) * 2.0**-24 * (left.abs() @ right.abs() + acc.double().abs())
    assert torch.equal(out.isnan(), exact.isnan())
    wrong = ~(out.isnan() | ((out.double() - exact).abs() <= bound) | (out.double() == exact))
    assert not wrong.any(), (out[wrong][:3], exact[wrong][:3])


@pytest.mark.parametrize("fb", ["e2m1", "e4m3", "e5m2", "bf16", "fp16"])
@pytest.mark.parametrize("fa", ["e2m1", "e4m3", "e5m2", "bf16", "fp16"])
def test_every_pair_of_formats(fa, fb):
    narrow = ("e2m1", "e4m3", "e5m2")
    if fa not in narrow and fb not in narrow:
        pytest.skip("no scaled operand")
    check(*run(fa, fb, has_a=fa in narrow, has_b=fb in narrow))


@pytest.mark.parametrize("pack_a", [False, True])
@pytest.mark.parametrize("pack_b", [False, True])
def test_pairs_packed_along_either_dimension(pack_a, pack_b):
    check(*run("e2m1", "e2m1", pack_a=pack_a, pack_b=pack_b))


@pytest.mark.parametrize("fa, fb", [("e4m3", "e4m3"), ("e2m1", "e2m1"), ("fp16", "e2m1"), ("bf16", "e5m2")])
def test_edge_scales(fa, fb):
    """0 is zero, 255 is NaN, and scales far from 1 overflow or vanish in 16 bits as they do on sm_90."""
    codes = iter([torch.tensor([0, 1, 127, 255, 200, 100, 140, 143] * 8, dtype=torch.uint8).view(32, 2),
                  torch.tensor([127] * 31 + [0], dtype=torch.uint8).view(16, 2)])
    check(*run(fa, fb, has_a=fa != "fp16" and fa != "bf16", scales=lambda *shape: next(codes)))


@pytest.mark.parametrize("fast", [False, True])
def test_fast_math_drops_the_nan_code(fast):
    ones = torch.ones(32, 64).to(torch.float8_e4m3fn).view(torch.uint8)
    a, b, out = ones, ones.view(64, 32).contiguous(), torch.empty(32, 32)
    sa, sb = torch.full((32, 2), 255, dtype=torch.uint8), torch.full((32, 2), 127, dtype=torch.uint8)
    launch(scaled, (1,), a, sa, b, sb, torch.zeros(32, 32), out, AR=32, AC=64, BR=64, BC=32, M=32, N=32, G=2, FA="e4m3",
           FB="e4m3", HA=True, HB=True, KA=True, KB=True, FAST=fast)
    assert (out.isinf() if fast else out.isnan()).all()


@triton.jit
def product(a, b, acc, out, P: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    d = tl.dot(tile(a, M, K), tile(b, K, N), tile(acc, M, N), input_precision=P)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], d)


def cut(x):
    return (x.view(torch.int32) & ~0x1FFF).view(torch.float32)


def rounded_away(x):
    return ((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


def pieces(x, precision):
    if precision == "tf32x3":
        big = rounded_away(x)
        return [big.double(), cut(x - big).double()]
    out = []
    for _ in range(3 if precision == "bf16x6" else 2):
        out.append(x.bfloat16().double())
        x = x - x.bfloat16().float()
    return out


@pytest.mark.parametrize("precision, expected", [("tf32x3", 2e-6), ("bf16x3", 3e-5), ("bf16x6", 2e-7), ("ieee", 4e-7),
                                                 ("tf32", 1e-3)])
def test_split_products(precision, expected):
    a, b, acc, out = torch.randn(32, 64), torch.randn(64, 32), torch.randn(32, 32), torch.empty(32, 32)
    launch(product, (1,), a, b, acc, out, P=precision, M=32, N=32, K=64)
    scale = a.double().abs() @ b.double().abs()
    error = ((out.double() - a.double() @ b.double() - acc.double()).abs() / scale).max().item()
    assert error <= expected
    if precision in ("ieee", "tf32"):
        return
    x, y = pieces(a, precision), pieces(b, precision)
    kept = [(i, j) for i in range(len(x)) for j in range(len(y)) if i + j < len(x)]
    exact = sum(x[i] @ y[j] for i, j in kept) + acc.double()
    assert ((out.double() - exact).abs() <= 68 * 2.0**-24 * (scale + acc.double().abs())).all()
    if precision == "bf16x3":  # the terms that it leaves out must be visible
        assert error > 2e-8


def test_split_products_keep_infinities():
    a, b = torch.randn(16, 16), torch.randn(16, 16).abs() + 0.5
    a[0, 0] = float("inf")
    out = torch.empty(16, 16)
    for precision in ("tf32x3", "bf16x3", "bf16x6"):
        launch(product, (1,), a, b, torch.zeros(16, 16), out, P=precision, M=16, N=16, K=16)
        assert (out[0] == float("inf")).all() and out[1:].isfinite().all()
