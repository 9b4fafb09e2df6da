# SPDX-License-Identifier: Apache-2.0
"""Regions on the virtual machine: tl.map_elementwise, and reductions and scans with control flow or several operands."""
import conformance as c
import pytest
import torch
import triton
import triton.language as tl


def launch(kernel, grid, *args, **kw):
    result = c.launch(kernel, grid, *args, **kw)
    assert result["findings"] == [], result["findings"]


@triton.jit
def three_way(a, b):
    if a < b:
        r = a - b
    elif a > b:
        r = a + b
    else:
        r = a * 0
    return r


@triton.jit
def early_return(a, b):
    if a > b:
        return a
    return b * 2


@triton.jit
def divide_both(a, b):
    return a // b, a % b


@triton.jit
def greatest_divisor(a, b):
    steps = 0
    while b != 0:
        a, b = b, a % b
        steps += 1
    return a, steps


@triton.jit
def cross(a0, a1, b0, b1):
    return a0 + b1, a1 * b0


@triton.jit
def power_sum(a, b):
    total = a * 0
    for i in range(3):
        total = (total * b + a + i).to(a.dtype)
    return total


@triton.jit
def map_branches(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.map_elementwise(three_way, tl.load(x + i), tl.load(y + i)))
    tl.store(out + N + i, tl.map_elementwise(early_return, tl.load(x + i), tl.load(y + i)))
    tl.store(out + 2 * N + i, tl.map_elementwise(power_sum, tl.load(x + i), tl.load(y + i)))


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.int8], ids=str)
def test_map_takes_the_branch_of_each_element(dtype):
    x, y = torch.randint(-5, 6, (256,)).to(dtype), torch.randint(-5, 6, (256,)).to(dtype)
    out = torch.empty(3, 256, dtype=dtype)
    launch(map_branches, (1,), x, y, out, N=256)
    c.assert_same(out[0].contiguous(), torch.where(x < y, x - y, torch.where(x > y, x + y, x * 0)))
    c.assert_same(out[1].contiguous(), torch.where(x > y, x, y * 2))
    total = x * 0
    for i in range(3):
        total = total * y + x + i
    c.assert_same(out[2].contiguous(), total)


@triton.jit
def map_two_results(x, y, quotient, rest, divisor, steps, N: tl.constexpr):
    i = tl.arange(0, N)
    q, r = tl.map_elementwise(divide_both, tl.load(x + i), tl.load(y + i))
    tl.store(quotient + i, q)
    tl.store(rest + i, r)
    g, s = tl.map_elementwise(greatest_divisor, tl.load(x + i), tl.load(y + i))
    tl.store(divisor + i, g)
    tl.store(steps + i, s)


def test_map_with_loops_and_two_results():
    x, y = torch.randint(1, 10**6, (128,), dtype=torch.int32), torch.randint(1, 10**4, (128,), dtype=torch.int32)
    quotient, rest, divisor, steps = (torch.empty(128, dtype=torch.int32) for _ in range(4))
    launch(map_two_results, (1,), x, y, quotient, rest, divisor, steps, N=128)
    c.assert_same(quotient, x // y)
    c.assert_same(rest, x % y)
    c.assert_same(divisor, torch.gcd(x, y))
    counts = []
    for a, b in zip(x.tolist(), y.tolist()):
        count = 0
        while b:
            a, b, count = b, a % b, count + 1
        counts.append(count)
    c.assert_same(steps, torch.tensor(counts, dtype=torch.int32))


@triton.jit
def map_packed(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    r = tl.map_elementwise(cross, tl.load(x + i), tl.load(y + i), pack=2)
    tl.store(out + i, r[0])


def test_map_packs_neighbours():
    x, y = torch.randint(-9, 9, (64,), dtype=torch.int32), torch.randint(-9, 9, (64,), dtype=torch.int32)
    out = torch.empty_like(x)
    launch(map_packed, (1,), x, y, out, N=64)
    expected = torch.stack([x[0::2] + y[1::2], x[1::2] * y[0::2]], 1).reshape(-1)
    c.assert_same(out, expected)


@triton.jit
def map_of_a_matrix(x, y, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.map_elementwise(three_way, tl.load(x + at), tl.load(y + tl.arange(0, N)[None, :])))


def test_map_broadcasts_its_arguments():
    x, y = torch.randint(-9, 9, (16, 32), dtype=torch.int32), torch.randint(-9, 9, (32,), dtype=torch.int32)
    out = torch.empty_like(x)
    launch(map_of_a_matrix, (1,), x, y, out, M=16, N=32)
    c.assert_same(out, torch.where(x < y, x - y, torch.where(x > y, x + y, torch.zeros_like(x))))


@triton.jit
def larger_magnitude(a, b):
    r = b
    if tl.abs(a) >= tl.abs(b):
        r = a
    return r


@triton.jit
def larger_magnitude_early(a, b):
    if tl.abs(a) >= tl.abs(b):
        return a
    return b


@triton.jit
def reduce_with_branches(x, out, scanned, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr, EARLY: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    COUNT: tl.constexpr = N if AXIS == 0 else M
    if EARLY:
        tl.store(out + tl.arange(0, COUNT), tl.reduce(v, AXIS, larger_magnitude_early))
        tl.store(scanned + at, tl.associative_scan(v, AXIS, larger_magnitude_early))
    else:
        tl.store(out + tl.arange(0, COUNT), tl.reduce(v, AXIS, larger_magnitude))
        tl.store(scanned + at, tl.associative_scan(v, AXIS, larger_magnitude))


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.int32, torch.float32, torch.float16], ids=str)
def test_reduction_with_branches_in_its_region(dtype, axis, early):
    # Distinct magnitudes: the operation is then commutative as well, so any tree gives the same.
    x = (torch.randperm(8 * 16) + 1).view(8, 16) * torch.where(torch.rand(8, 16) < 0.5, -1, 1)
    x = x.to(dtype)
    out, scanned = torch.empty(16 if axis == 0 else 8, dtype=dtype), torch.empty_like(x)
    launch(reduce_with_branches, (1,), x, out, scanned, M=8, N=16, AXIS=axis, EARLY=early)
    best = x.double().abs().argmax(axis, keepdim=True)
    c.assert_same(out, x.gather(axis, best).reshape(-1))
    running = x.double().abs().cummax(axis).indices
    c.assert_same(scanned, x.gather(axis, running))


@triton.jit
def welford(mean_a, m2_a, n_a, mean_b, m2_b, n_b):
    n = n_a + n_b
    delta = mean_b - mean_a
    return mean_a + delta * n_b / n, m2_a + m2_b + delta * delta * n_a * n_b / n, n


@triton.jit
def affine_step(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@triton.jit
def several_operands(x, mean, m2, decay, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    a, b, n = tl.reduce((v, tl.zeros_like(v), tl.full(v.shape, 1.0, tl.float32)), 1, welford)
    tl.store(mean + tl.arange(0, M), a)
    tl.store(m2 + tl.arange(0, M), b)
    _, h = tl.associative_scan((tl.load(decay + at), v), 1, affine_step)
    tl.store(out + at, h)


def test_several_operands():
    x, decay = torch.randn(8, 64), torch.rand(8, 64)
    mean, m2, out = torch.empty(8), torch.empty(8), torch.empty(8, 64)
    launch(several_operands, (1,), x, mean, m2, decay, out, M=8, N=64)
    torch.testing.assert_close(mean, x.mean(1), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(m2, x.var(1, unbiased=False) * 64, rtol=1e-5, atol=1e-5)
    h, rows = torch.zeros(8, dtype=torch.float64), []
    for t in range(64):
        h = decay[:, t].double() * h + x[:, t]
        rows.append(h)
    torch.testing.assert_close(out.double(), torch.stack(rows, 1), rtol=1e-5, atol=1e-5)


@triton.jit
def subtract(a, b):
    return a - b


@triton.jit
def non_commutative(x, out, N: tl.constexpr):
    tl.store(out, tl.reduce(tl.load(x + tl.arange(0, N)), 0, subtract))


@pytest.mark.parametrize("n", [1, 2, 8, 64])
def test_reduction_follows_the_stated_tree(n):
    x = torch.randint(-100, 100, (n,), dtype=torch.int32)
    out = torch.empty(1, dtype=torch.int32)
    launch(non_commutative, (1,), x, out, N=n)
    tree = x
    while tree.numel() > 1:
        half = tree.numel() // 2
        tree = tree[:half] - tree[half:]
    c.assert_same(out, tree)


@triton.jit
def clamped_sum(a, b):
    return tl.clamp(tl.fma(a, 0.75, b), -2.0, 2.0)


@triton.jit
def outside_scalars(x, out, scale, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    v = tl.load(x + at)
    total = tl.reduce(v, 1, clamped_sum)
    tl.store(out + tl.arange(0, M), total * 0.75 + tl.load(scale) * -2.0)
    tl.store(out + M, 0.75)
    tl.store(out + M + 1, 2.0)


def test_constants_from_outside_of_the_region():
    x, out = torch.randn(8, 16), torch.zeros(12)
    launch(outside_scalars, (1,), x, out, torch.ones(1), M=8, N=16)
    tree = x
    while tree.shape[1] > 1:
        half = tree.shape[1] // 2
        a, b = tree[:, :half].double(), tree[:, half:].double()
        tree = (a * 0.75 + b).float().clamp(-2.0, 2.0)
    c.assert_same(out[:8].contiguous(), tree[:, 0] * 0.75 - 2.0)
    assert out[8:].tolist() == [0.75, 2.0, 0.0, 0.0]
