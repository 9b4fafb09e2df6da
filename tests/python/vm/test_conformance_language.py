# SPDX-License-Identifier: Apache-2.0
"""The rest of the language on the virtual machine: booleans, 3-D tiles, indices of extremes, constants, control, refusals."""
import conformance as c
import pytest
import torch
import triton
import triton.language as tl


def launch(kernel, grid, *args, **kw):
    result = c.launch(kernel, grid, *args, **kw)
    assert result["findings"] == [], result["findings"]


@triton.jit
def boolean_kernel(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.load(x + i) != 0, tl.load(y + i) != 0
    tl.store(out + i, a & b)
    tl.store(out + BLOCK + i, a | b)
    tl.store(out + 2 * BLOCK + i, a ^ b)
    tl.store(out + 3 * BLOCK + i, not a)
    tl.store(out + 4 * BLOCK + i, a == b)
    tl.store(out + 5 * BLOCK + i, tl.where(a, b, not b))


def test_booleans():
    x, y = torch.randint(0, 2, (64,), dtype=torch.int32), torch.randint(0, 2, (64,), dtype=torch.int32)
    out = torch.empty(6, 64, dtype=torch.bool)
    launch(boolean_kernel, (1,), x, y, out, BLOCK=64)
    a, b = x != 0, y != 0
    c.assert_same(out, torch.stack([a & b, a | b, a ^ b, ~a, a == b, torch.where(a, b, ~b)]))


@triton.jit
def count_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + tl.arange(0, M), tl.sum((v > 0).to(tl.int32), 1))
    tl.store(out + M + tl.arange(0, M), tl.max((v > 5).to(tl.int32), 1))
    tl.store(out + 2 * M + tl.arange(0, M), tl.reduce_or((v > 7).to(tl.int1), 1).to(tl.int32))


def test_reductions_of_booleans():
    x = torch.randint(-9, 9, (16, 32), dtype=torch.int32)
    out = torch.empty(3, 16, dtype=torch.int32)
    launch(count_kernel, (1,), x, out, M=16, N=32)
    c.assert_same(out, torch.stack([(x > 0).sum(1), (x > 5).any(1), (x > 7).any(1)]).int())


@triton.jit
def narrow_sum(x, out, N: tl.constexpr):
    tl.store(out, tl.sum(tl.load(x + tl.arange(0, N)), 0))


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16], ids=str)
def test_narrow_integers_are_summed_in_32_bits(dtype):
    x = torch.full((1024,), 100).to(dtype)
    out = torch.empty(1, dtype=torch.int32)
    launch(narrow_sum, (1,), x, out, N=1024)
    assert out.item() == 102400


@triton.jit
def cube_kernel(x, out, AXIS: tl.constexpr, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, SCAN: tl.constexpr):
    v = tl.reshape(tl.load(x + tl.arange(0, A * B * C)), [A, B, C])
    if SCAN:
        r = tl.cumsum(v, AXIS)
    else:
        r = tl.sum(v, AXIS, keep_dims=True) + tl.zeros([A, B, C], v.dtype)
    tl.store(out + tl.arange(0, A * B * C), tl.reshape(r, [A * B * C]))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("scan", [False, True])
@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.int64], ids=str)
def test_three_dimensions(dtype, scan, axis):
    x = torch.randint(-9, 9, (4, 8, 16)).to(dtype)
    out = torch.empty_like(x)
    launch(cube_kernel, (1,), x, out, AXIS=axis, A=4, B=8, C=16, SCAN=scan)
    expected = x.cumsum(axis) if scan else x.sum(axis, keepdim=True).expand(4, 8, 16).contiguous()
    c.assert_same(out, expected.to(dtype))


@triton.jit
def best_with_index(x, value, index, M: tl.constexpr, N: tl.constexpr):
    v = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    best, at = tl.max(v, 1, return_indices=True)
    tl.store(value + tl.arange(0, M), best)
    tl.store(index + tl.arange(0, M), at)


def test_maximum_with_its_index():
    x = torch.randint(0, 20, (16, 64)).float()
    value, index = torch.empty(16), torch.empty(16, dtype=torch.int32)
    launch(best_with_index, (1,), x, value, index, M=16, N=64)
    c.assert_same(value, x.amax(1))
    c.assert_same(index, (x == value[:, None]).int().argmax(1).int())


@triton.jit
def constants(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.full([BLOCK], 0.1, out.dtype.element_ty))
    tl.store(out + BLOCK + i, tl.zeros([BLOCK], out.dtype.element_ty) + float("inf"))
    tl.store(out + 2 * BLOCK + i, tl.full([BLOCK], float("nan"), out.dtype.element_ty))
    tl.store(out + 3 * BLOCK + i, tl.full([BLOCK], -1.5e-3, out.dtype.element_ty))


@pytest.mark.parametrize("dtype", c.FLOATS, ids=str)
def test_constants_of_every_float(dtype):
    out = torch.empty(4, 16, dtype=dtype)
    launch(constants, (1,), out, BLOCK=16)
    for row, value in zip(out, (0.1, float("inf"), float("nan"), -1.5e-3)):
        f32 = torch.tensor(value, dtype=torch.float32 if dtype != torch.float64 else torch.float64)
        c.assert_same(row, f32.to(dtype).expand(16).contiguous())


@triton.jit
def integer_constants(out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.full([BLOCK], 0x7FFFFFFFFFFFFFFF, tl.int64))
    tl.store(out + BLOCK + i, tl.full([BLOCK], -9223372036854775808, tl.int64))
    tl.store(out + 2 * BLOCK + i, tl.full([BLOCK], 0xFFFFFFFF, tl.uint32).to(tl.int64))
    tl.store(out + 3 * BLOCK + i, tl.full([BLOCK], -1, tl.int8).to(tl.int64))


def test_integer_constants():
    out = torch.empty(4, 16, dtype=torch.int64)
    launch(integer_constants, (1,), out, BLOCK=16)
    assert out[:, 0].tolist() == [2**63 - 1, -2**63, 2**32 - 1, -1]
    assert (out == out[:, :1]).all()


@triton.jit
def grid_kernel(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    nx, ny, nz = tl.num_programs(0), tl.num_programs(1), tl.num_programs(2)
    at = (z * ny + y) * nx + x
    tl.store(out + at, x + 10 * y + 100 * z + 1000 * nx + 10000 * ny + 100000 * nz)


@pytest.mark.parametrize("threads", [1, 2])
def test_three_dimensional_grids(threads):
    out = torch.empty(2, 3, 5, dtype=torch.int32)
    launch(grid_kernel, (5, 3, 2), out, vm_options={"threads": threads})
    z, y, x = torch.meshgrid(torch.arange(2), torch.arange(3), torch.arange(5), indexing="ij")
    c.assert_same(out, (x + 10 * y + 100 * z + 5000 + 30000 + 200000).int())


@triton.jit
def nested_control(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    best = -1.0
    for outer in range(n):
        for inner in tl.static_range(3):
            v = tl.load(x + outer * BLOCK + i) * (inner + 1)
            s = tl.sum(v, 0)
            if s > best:
                best = s
                total += v
            elif outer % 2 == 0:
                total -= v
    tl.store(out + i, total)
    tl.store(out + BLOCK, best)


def test_loops_and_branches_carry_values():
    x = torch.randint(-8, 8, (6, 32)).float()
    out = torch.empty(33)
    launch(nested_control, (1,), x, out, 6, BLOCK=32)
    total, best = torch.zeros(32), -1.0
    for outer in range(6):
        for inner in range(3):
            v = x[outer] * (inner + 1)
            if v.sum() > best:
                best = v.sum().item()
                total = total + v
            elif outer % 2 == 0:
                total = total - v
    c.assert_same(out, torch.cat([total, torch.tensor([best])]))


@triton.jit
def wide_offsets(x, out, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK).to(tl.int64)
    tl.store(out + i, tl.load(x + i * stride))


def test_64_bit_strides():
    x = torch.arange(64 * 1000, dtype=torch.int32)
    out = torch.empty(64, dtype=torch.int32)
    launch(wide_offsets, (1,), x, out, 1000, BLOCK=64)
    c.assert_same(out, x[::1000].contiguous())


@triton.jit
def swizzled(out, M: tl.constexpr, N: tl.constexpr, GROUP: tl.constexpr):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), M, N, GROUP)
    tl.store(out + i * N + j, tl.program_id(0) * N + tl.program_id(1))


def test_swizzle_visits_every_tile_once():
    out = torch.full((8, 6), -1, dtype=torch.int32)
    launch(swizzled, (8, 6), out, M=8, N=6, GROUP=4)
    assert sorted(out.reshape(-1).tolist()) == list(range(48))


@triton.jit
def sort_with_nan(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.sort(tl.load(x + i)))


def test_sorting_keeps_every_value_that_is_not_nan():
    x = torch.randn(64)
    x[5] = float("inf")
    x[6] = -float("inf")
    x[7] = -0.0
    out = torch.empty(64)
    launch(sort_with_nan, (1,), x, out, N=64)
    assert out.tolist() == sorted(x.tolist())


@triton.jit
def atomic_counter(counter, seen, BLOCK: tl.constexpr):
    ticket = tl.atomic_add(counter, 1)
    tl.store(seen + ticket, tl.program_id(0))


@pytest.mark.parametrize("order", ["forward", "reversed", "shuffled"])
def test_tickets_follow_the_order_of_programs(order):
    counter, seen = torch.zeros(1, dtype=torch.int32), torch.full((50,), -1, dtype=torch.int32)
    launch(atomic_counter, (50,), counter, seen, BLOCK=1, vm_options={"order": order, "seed": 3})
    assert counter.item() == 50 and sorted(seen.tolist()) == list(range(50))
    expected = {"forward": list(range(50)), "reversed": list(range(49, -1, -1))}.get(order)
    assert expected is None or seen.tolist() == expected
