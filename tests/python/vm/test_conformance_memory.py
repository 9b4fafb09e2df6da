# SPDX-License-Identifier: Apache-2.0
"""Atomics, masked access, matrix products and random numbers on the virtual machine against torch and numpy."""
import conformance as c
import numpy as np
import pytest
import torch
import triton
import triton.language as tl


def launch(kernel, grid, *args, **kw):
    result = c.launch(kernel, grid, *args, **kw)
    assert result["findings"] == [], result["findings"]


@triton.jit
def atomic_kernel(target, value, old, n, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(old + i, OP(target + i, tl.load(value + i, mask=m), mask=m), mask=m)


ATOMICS = {tl.atomic_add: lambda a, b: a + b, tl.atomic_max: max, tl.atomic_min: min, tl.atomic_xchg: lambda a, b: b}
BITS = {tl.atomic_and: lambda a, b: a & b, tl.atomic_or: lambda a, b: a | b, tl.atomic_xor: lambda a, b: a ^ b}


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint32, torch.uint64], ids=str)
@pytest.mark.parametrize("op", list(ATOMICS) + list(BITS), ids=lambda v: v.__name__)
def test_integer_atomics_return_the_old_value(op, dtype):
    a, b = c.pairs(dtype)
    target, old = a.clone(), torch.zeros(256, dtype=torch.int64).to(dtype)
    launch(atomic_kernel, (4,), target, b, old, 250, OP=op, BLOCK=64)
    exact = (ATOMICS | BITS)[op]
    x, y = c.exact_integers(a), c.exact_integers(b)
    c.assert_same(target, c.wrapped([exact(p, q) if i < 250 else p for i, (p, q) in enumerate(zip(x, y))], dtype))
    c.assert_same(old, c.wrapped([p if i < 250 else 0 for i, p in enumerate(x)], dtype))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16], ids=str)
def test_float_atomic_add(dtype):
    a, b = c.pairs(dtype)
    target, old = a.clone(), torch.zeros_like(a)
    launch(atomic_kernel, (4,), target, b, old, 256, OP=tl.atomic_add, BLOCK=64)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    c.assert_same(target, (a.to(wide) + b.to(wide)).to(dtype))
    c.assert_same(old, a)


@pytest.mark.parametrize("op, exact", [(tl.atomic_max, torch.maximum), (tl.atomic_min, torch.minimum)],
                         ids=lambda v: getattr(v, "__name__", ""))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_float_atomic_extremes(op, exact, dtype):
    a, b = c.pairs(dtype)
    usable = ~(a.isnan() | b.isnan() | ((a == 0) & (b == 0)))  # their order is that of the bits
    a, b = torch.where(usable, a, 1.0), torch.where(usable, b, 2.0)
    target, old = a.clone(), torch.zeros_like(a)
    launch(atomic_kernel, (4,), target, b, old, 256, OP=op, BLOCK=64)
    c.assert_same(target, exact(a, b))


@triton.jit
def collide(target, value, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    OP(target + i % 3, tl.load(value + i))


@pytest.mark.parametrize("threads", [1, 2])
def test_colliding_lanes_all_count(threads):
    value = torch.randint(-1000, 1000, (1024,), dtype=torch.int32)
    target = torch.zeros(3, dtype=torch.int32)
    launch(collide, (8,), target, value, OP=tl.atomic_add, BLOCK=128, vm_options={"threads": threads})
    c.assert_same(target, torch.stack([value[(torch.arange(1024) % 128 + torch.arange(1024) // 128 * 128) % 3 == r].sum()
                                       for r in range(3)]).int())


@triton.jit
def compare_and_swap(target, compare, value, old, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(old + i, tl.atomic_cas(target + i, tl.load(compare + i), tl.load(value + i)))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.int16], ids=str)
def test_compare_and_swap(dtype):
    a, b = c.pairs(dtype)
    target, old = a.clone(), torch.zeros_like(a)
    value = torch.full_like(a, 77)
    launch(compare_and_swap, (1,), target, b, value, old, BLOCK=256)
    c.assert_same(old, a)
    c.assert_same(target, torch.where(a == b, value, a))


@triton.jit
def masked_copy(x, out, mask, FILL: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    m = tl.load(mask + i) != 0
    tl.store(out + i, tl.load(x + i, mask=m, other=FILL))
    tl.store(out + BLOCK + i, tl.load(x + i), mask=m)


@pytest.mark.parametrize("dtype", c.INTEGERS + c.FLOATS + c.FP8 + [torch.bool], ids=str)
def test_masked_loads_and_stores(dtype):
    x, _ = c.pairs(dtype)
    mask = torch.randint(0, 2, (256,), dtype=torch.int8)
    out = torch.zeros(512, dtype=torch.uint8).repeat(dtype.itemsize).view(dtype)
    launch(masked_copy, (1,), x, out, mask, FILL=0.0 if dtype.is_floating_point else 0, BLOCK=256)
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    kept = torch.where(mask != 0, x.view(width), 0)
    c.assert_same(out, torch.cat([kept, kept]).view(dtype))


@triton.jit
def dot_kernel(a, b, d, out, PRECISION: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    x = tl.load(a + i[:, None] * K + k[None, :])
    y = tl.load(b + k[:, None] * N + j[None, :])
    acc = tl.load(d + i[:, None] * N + j[None, :])
    tl.store(out + i[:, None] * N + j[None, :], tl.dot(x, y, acc, input_precision=PRECISION, out_dtype=acc.dtype))


SHAPES = [(16, 16, 16), (32, 64, 16), (64, 16, 128), (128, 32, 32)]


@pytest.mark.parametrize("M, N, K", SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16] + c.FP8, ids=str)
def test_dot_of_floats(dtype, M, N, K):
    if dtype in c.FP8 and K < 32:
        pytest.skip("Triton wants K >= 32 for 8-bit operands")
    a, b = (torch.randn(M, K) * 2).to(dtype), (torch.randn(K, N) * 2).to(dtype)
    d, out = torch.randn(M, N), torch.empty(M, N)
    launch(dot_kernel, (1,), a, b, d, out, PRECISION="ieee", M=M, N=N, K=K)
    exact = a.double() @ b.double() + d.double()
    bound = a.double().abs() @ b.double().abs() + d.double().abs()
    assert ((out.double() - exact).abs() <= (K + 2) * 2**-24 * bound).all()


@pytest.mark.parametrize("M, N, K", [(16, 16, 32), (32, 64, 64), (64, 16, 128), (128, 32, 32)])
def test_dot_of_integers_is_exact(M, N, K):
    a, b = torch.randint(-128, 128, (M, K), dtype=torch.int8), torch.randint(-128, 128, (K, N), dtype=torch.int8)
    d = torch.randint(-1000, 1000, (M, N), dtype=torch.int32)
    out = torch.empty_like(d)
    launch(dot_kernel, (1,), a, b, d, out, PRECISION="ieee", M=M, N=N, K=K)
    c.assert_same(out, (a.double() @ b.double()).int() + d)


def test_dot_with_a_half_accumulator():
    a, b = torch.randn(32, 64).half(), torch.randn(64, 32).half()
    d, out = torch.randn(32, 32).half(), torch.empty(32, 32, dtype=torch.float16)
    launch(dot_kernel, (1,), a, b, d, out, PRECISION="ieee", M=32, N=32, K=64)
    exact = a.double() @ b.double() + d.double()
    assert ((out.double() - exact).abs() <= 2**-11 * exact.abs() + 66 * 2**-24 * (a.double().abs() @ b.double().abs())).all()


@pytest.mark.parametrize("mode, rounded", [("round", True), ("truncate", True), ("ieee", False)])
def test_tf32_is_as_the_options_say(mode, rounded):
    a, b = torch.full((16, 16), 1 + 2.0**-12), torch.ones(16, 16)
    out = torch.empty(16, 16)
    launch(dot_kernel, (1,), a, b, torch.zeros(16, 16), out, PRECISION="tf32", M=16, N=16, K=16, vm_options={"tf32": mode})
    assert (out == (16.0 if rounded else 16 + 2.0**-8)).all()
    a = torch.full((16, 16), 1 + 2.0**-11)  # a tie: away from zero, or cut off
    launch(dot_kernel, (1,), a, b, torch.zeros(16, 16), out, PRECISION="tf32", M=16, N=16, K=16, vm_options={"tf32": mode})
    assert (out == {"round": 16 + 2.0**-6, "truncate": 16.0, "ieee": 16 + 2.0**-7}[mode]).all()


def test_tf32_truncates_unless_told_otherwise():
    a, out = torch.full((16, 16), 1 + 2.0**-11), torch.empty(16, 16)
    launch(dot_kernel, (1,), a, torch.ones(16, 16), torch.zeros(16, 16), out, PRECISION="tf32", M=16, N=16, K=16)
    assert (out == 16.0).all()


@triton.jit
def batched_dot(a, b, out, B: tl.constexpr, M: tl.constexpr):
    s, i, j = tl.arange(0, B)[:, None, None], tl.arange(0, M)[None, :, None], tl.arange(0, M)[None, None, :]
    at = s * M * M + i * M + j
    tl.store(out + at, tl.dot(tl.load(a + at), tl.load(b + at), input_precision="ieee"))


def test_batched_dot():
    a, b = torch.randn(4, 16, 16), torch.randn(4, 16, 16)
    out = torch.empty(4, 16, 16)
    launch(batched_dot, (1,), a, b, out, B=4, M=16)
    torch.testing.assert_close(out, a @ b, rtol=1e-5, atol=1e-5)


@triton.jit
def transposed_dot(a, b, out, M: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, M)[None, :]
    tl.store(out + i * M + j, tl.dot(tl.trans(tl.load(a + i * M + j)), tl.load(b + j * M + i), input_precision="ieee"))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_dot_of_transposed_tiles(dtype):
    a, b = torch.randn(32, 32).to(dtype), torch.randn(32, 32).to(dtype)
    out = torch.empty(32, 32)
    launch(transposed_dot, (1,), a, b, out, M=32)
    torch.testing.assert_close(out.double(), a.double().t() @ b.double().t(), rtol=1e-5, atol=1e-4)


def philox(seed, offset, rounds=10):
    counter = [offset & 0xFFFFFFFF, offset >> 32, 0, 0]
    key = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(rounds):
        a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(b >> 32) ^ counter[1] ^ key[0], b & 0xFFFFFFFF, (a >> 32) ^ counter[3] ^ key[1], a & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return counter


@triton.jit
def random_kernel(seed, out, uniform, normal, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    r0, r1, r2, r3 = tl.randint4x(seed, i)
    tl.store(out + i, r0)
    tl.store(out + BLOCK + i, r1)
    tl.store(out + 2 * BLOCK + i, r2)
    tl.store(out + 3 * BLOCK + i, r3)
    tl.store(uniform + i, tl.rand(seed, i))
    tl.store(normal + i, tl.randn(seed, i))


@pytest.mark.parametrize("seed", [0, 1, 42, 0x1234567890, 2**63 - 1])
def test_random_numbers_are_philox(seed):
    out, uniform, normal = torch.empty(4, 256, dtype=torch.int32), torch.empty(256), torch.empty(256)
    launch(random_kernel, (1,), seed, out, uniform, normal, BLOCK=256)
    words = np.array([philox(seed, i) for i in range(256)], dtype=np.uint32).T
    c.assert_same(out, torch.from_numpy(words.copy().view(np.int32)))
    signed = words[0].view(np.int32).astype(np.int64)
    expected = np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)
    c.assert_same(uniform, torch.from_numpy(expected))
    assert 0 <= uniform.min() and uniform.max() < 1
    assert normal.isfinite().all() and abs(normal.mean()) < 0.3 and abs(normal.std() - 1) < 0.2


@triton.jit
def strided(x, out, sm, sn, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    tl.store(out + i * N + j, tl.load(x + i * sm + j * sn))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.bfloat16, torch.int64], ids=str)
def test_strided_and_expanded_views(dtype):
    x = torch.arange(16 * 64).remainder(100).to(dtype).view(16, 64)
    for view in (x, x.t()[:16, :16].repeat(1, 4)[:16, :64], x[:1].expand(16, 64), x.flip(0).contiguous(), x.view(64, 16)[::4].repeat(1, 4)):
        out = torch.empty(16, 64, dtype=dtype)
        launch(strided, (1,), view, out, view.stride(0), view.stride(1), M=16, N=64)
        c.assert_same(out, view.contiguous())


@triton.jit
def walk(x, out, n, BLOCK: tl.constexpr):
    total = tl.zeros([BLOCK], tl.float32)
    for start in range(n - BLOCK, -BLOCK, -BLOCK):
        i = start + tl.arange(0, BLOCK)
        total = total * 0.5 + tl.load(x + i, mask=i >= 0, other=0.0)
    tl.store(out + tl.arange(0, BLOCK), total)


def test_loops_that_count_down():
    x = torch.randn(100)
    out = torch.empty(32)
    launch(walk, (1,), x, out, 100, BLOCK=32)
    padded = torch.cat([torch.zeros(28), x])
    expected = torch.zeros(32)
    for block in range(3, -1, -1):
        expected = expected * 0.5 + padded[block * 32:(block + 1) * 32]
    torch.testing.assert_close(out, expected, rtol=0, atol=0)
