# SPDX-License-Identifier: Apache-2.0
"""Atomics with every kind, meaning and scope; pointers to pointers; the options of vm_run; limits within large tiles."""
import time

import conformance as c
import pytest
import torch
import triton
import triton.language as tl


def launch(kernel, grid, *args, **kw):
    result = c.launch(kernel, grid, *args, **kw)
    assert result["findings"] == [], result["findings"]
    return result


@triton.jit
def meanings(target, value, old, OP: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old + i, OP(target + i, tl.load(value + i), sem=SEM, scope=SCOPE))


EXACT = {tl.atomic_add: lambda a, b: a + b, tl.atomic_max: max, tl.atomic_min: min, tl.atomic_xchg: lambda a, b: b,
         tl.atomic_and: lambda a, b: a & b, tl.atomic_or: lambda a, b: a | b, tl.atomic_xor: lambda a, b: a ^ b}


@pytest.mark.parametrize("scope", ["cta", "gpu", "sys"])
@pytest.mark.parametrize("sem", ["relaxed", "acquire", "release", "acq_rel"])
@pytest.mark.parametrize("op", list(EXACT), ids=lambda v: v.__name__)
def test_every_meaning_and_scope(op, sem, scope):
    a, b = c.pairs(torch.int32)
    target, old = a.clone(), torch.empty_like(a)
    launch(meanings, (1,), target, b, old, OP=op, SEM=sem, SCOPE=scope, N=256)
    c.assert_same(target, c.wrapped([EXACT[op](x, y) for x, y in zip(c.exact_integers(a), c.exact_integers(b))], torch.int32))
    c.assert_same(old, a)


@triton.jit
def scalar_atomics(target, out, OP: tl.constexpr):
    tl.store(out + tl.program_id(0), OP(target, tl.program_id(0) + 1))


@pytest.mark.parametrize("op, last", [(tl.atomic_add, 55), (tl.atomic_max, 10), (tl.atomic_xchg, 10), (tl.atomic_or, 15)],
                         ids=lambda v: getattr(v, "__name__", ""))
def test_scalars_take_effect_in_the_order_of_programs(op, last):
    target, out = torch.zeros(1, dtype=torch.int32), torch.empty(10, dtype=torch.int32)
    launch(scalar_atomics, (10,), target, out, OP=op)
    assert target.item() == last
    state, expected = 0, []
    for value in range(1, 11):
        expected.append(state)
        state = {tl.atomic_add: state + value, tl.atomic_max: max(state, value), tl.atomic_xchg: value,
                 tl.atomic_or: state | value}[op]
    assert out.tolist() == expected


@triton.jit
def add_all(target, value, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.atomic_add(target + i * 0, tl.load(value + i))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_colliding_float_adds_round_each_time(dtype):
    value = torch.randn(512).to(dtype)
    target = torch.zeros(1, dtype=dtype)
    launch(add_all, (4,), target, value, N=128)
    total = torch.zeros(1, dtype=dtype)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    for v in value:
        total = (total.to(wide) + v.to(wide)).to(dtype)
    c.assert_same(target, total)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_colliding_float_adds_of_two_threads_all_count(dtype):
    target = torch.zeros(1, dtype=dtype)
    launch(add_all, (8,), target, torch.ones(256).to(dtype), N=32, vm_options={"threads": 2})
    assert target.item() == 256


@triton.jit
def swap(target, wanted, value, old, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(old + i, tl.atomic_cas(target + i, tl.load(wanted + i), tl.load(value + i)))


@pytest.mark.parametrize("dtype", [torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
                                   torch.float64, torch.uint32], ids=str)
def test_compare_and_swap_goes_by_the_bits(dtype):
    target = c.values(dtype)
    wanted = target.clone()
    width = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    other = c.values(dtype).view(width).flip(0).view(dtype)
    wanted.view(width)[::3] = target.view(width).flip(0)[::3]
    old = torch.empty_like(target)
    hit = wanted.view(width) == target.view(width)  # NaN equals itself, -0 is not +0
    expected = torch.where(hit, other.view(width), target.view(width)).view(dtype)
    before = target.clone()
    launch(swap, (1,), target, wanted, other, old, N=16)
    c.assert_same(target, expected)
    assert torch.equal(old.view(width), before.view(width))


@triton.jit
def misaligned(target):
    p = (target.to(tl.int64) + 2).to(tl.pointer_type(tl.int32))
    tl.atomic_add(p, 1)


def test_misaligned_atomics_are_found():
    result = c.launch(misaligned, (1,), torch.zeros(4, dtype=torch.int32))
    assert [f["kind"] for f in result["findings"]] == ["out_of_bounds"]
    assert "no multiple" in result["findings"][0]["message"]


@triton.jit
def through_table(table, out, N: tl.constexpr):
    i = tl.arange(0, N)
    rows = table.to(tl.pointer_type(tl.pointer_type(tl.float32)))
    first = tl.load(rows)
    tl.store(out + i, tl.load(first + i) + tl.load(tl.load(rows + i)))
    tl.store(rows + 1, first)


def test_pointers_to_pointers():
    rows = [torch.randn(16) for _ in range(16)]
    table = torch.tensor([r.data_ptr() for r in rows])
    out = torch.empty(16)
    launch(through_table, (1,), table, out, N=16, extra=rows)
    c.assert_same(out, rows[0] + torch.stack([r[0] for r in rows]))
    assert table[1].item() == rows[0].data_ptr()


@triton.jit
def to_fp8(x, out, N: tl.constexpr, T: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i).to(T).to(tl.uint8, bitcast=True))


@pytest.mark.parametrize("kind, to", [(torch.float8_e4m3fn, tl.float8e4nv), (torch.float8_e5m2, tl.float8e5)], ids=str)
def test_fp8_beyond_its_range(kind, to):
    x = torch.tensor([1e9, -1e9, float("inf"), -float("inf")] * 4)
    top, out = torch.finfo(kind).max, torch.empty(16, dtype=torch.uint8)
    launch(to_fp8, (1,), x, out, N=16, T=to)
    assert out.view(kind).float().tolist() == [top, -top] * 8
    launch(to_fp8, (1,), x, out, N=16, T=to, vm_options={"fp8_saturate": False})
    got = out.view(kind).float()
    assert (got.isnan() if kind == torch.float8_e4m3fn else got.isinf()).all()


@triton.jit
def in_any_order(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, 2 * N), tl.cat(tl.load(x + i), tl.load(y + i), can_reorder=True))


def test_free_order_can_be_turned_around():
    x, y, out = torch.arange(16), torch.arange(16, 32), torch.empty(32, dtype=torch.int64)
    launch(in_any_order, (1,), x, y, out, N=16)
    assert out.tolist() == list(range(32))
    launch(in_any_order, (1,), x, y, out, N=16, vm_options={"reorder": True})
    assert out.tolist() == list(range(31, -1, -1))


@triton.jit
def divide(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) // tl.load(y + i))


def test_division_by_zero_can_be_let_through():
    x, y, out = torch.arange(16), torch.arange(16), torch.empty(16, dtype=torch.int64)
    assert [f["kind"] for f in c.launch(divide, (1,), x, y, out, N=16)["findings"]] == ["division_by_zero"]
    launch(divide, (1,), x, y, out, N=16, vm_options={"check_division": False})
    assert out.tolist() == [-1] + [1] * 15


@triton.jit
def long_work(x, out, trips, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.load(x + i)
    for _ in range(trips):
        for _ in tl.static_range(40):
            v = tl.sin(v) + tl.exp(-v * v)
    tl.store(out + i, v)


def test_the_time_limit_is_looked_at_within_large_tiles():
    x, out = torch.randn(2**20), torch.empty(2**20)
    start = time.monotonic()
    result = c.launch(long_work, (1,), x, out, 100000, N=2**20, vm_options={"seconds": 0.1})
    assert [f["kind"] for f in result["findings"]] == ["deadline"]
    assert result["seconds"] < 1.0, result["seconds"]
    assert time.monotonic() - start < 30
