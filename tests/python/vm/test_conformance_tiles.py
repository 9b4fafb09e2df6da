# SPDX-License-Identifier: Apache-2.0
"""Reductions, scans, sorting and the shaping of tiles on the virtual machine against torch."""
import conformance as c
import pytest
import torch
import triton
import triton.language as tl


def launch(kernel, *args, **kw):
    result = c.launch(kernel, (1,), *args, **kw)
    assert result["findings"] == [], result["findings"]


@triton.jit
def load_tile(x, M: tl.constexpr, N: tl.constexpr):
    return tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])


@triton.jit
def reduce_kernel(x, out, OP: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = OP(load_tile(x, M, N), AXIS)
    tl.store(out + tl.arange(0, v.shape[0]), v)


@triton.jit
def reduce_all_kernel(x, out, OP: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    tl.store(out, OP(load_tile(x, M, N), None))


def tile(dtype, M, N):
    generator = torch.Generator().manual_seed(M * N)
    if dtype.is_floating_point:
        return torch.randint(-8, 8, (M, N), generator=generator).to(dtype)  # sums are exact
    return torch.randint(0 if dtype == torch.bool else -100, 2 if dtype == torch.bool else 100, (M, N), generator=generator).to(dtype)


SHAPES = [(1, 16), (16, 1), (2, 64), (64, 2), (32, 32), (8, 256), (256, 8)]


@pytest.mark.parametrize("M, N", SHAPES)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64], ids=str)
def test_sum_max_min(dtype, axis, M, N):
    x = tile(dtype, M, N)
    out = torch.empty(N if axis == 0 else M, dtype=dtype)
    launch(reduce_kernel, x, out, OP=tl.sum, AXIS=axis, M=M, N=N)
    exact = x.double().sum(axis) if dtype.is_floating_point else x.sum(axis)
    if dtype in (torch.float16, torch.bfloat16):  # partial sums may leave the exact integers of the dtype
        torch.testing.assert_close(out.double(), exact, rtol=0.02, atol=2)
    else:
        c.assert_same(out, exact.to(dtype))
    launch(reduce_kernel, x, out, OP=tl.max, AXIS=axis, M=M, N=N)
    c.assert_same(out, x.amax(axis))
    launch(reduce_kernel, x, out, OP=tl.min, AXIS=axis, M=M, N=N)
    c.assert_same(out, x.amin(axis))


@pytest.mark.parametrize("M, N", SHAPES)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("op, exact", [(tl.argmax, torch.Tensor.argmax), (tl.argmin, torch.Tensor.argmin)],
                         ids=lambda v: getattr(v, "__name__", ""))
def test_arg_extremes_take_the_first_of_ties(op, exact, axis, M, N):
    for dtype in (torch.float32, torch.int32):
        x = tile(dtype, M, N)
        out = torch.empty(N if axis == 0 else M, dtype=torch.int32)
        launch(reduce_kernel, x, out, OP=op, AXIS=axis, M=M, N=N)
        best = x.amax(axis, keepdim=True) if op is tl.argmax else x.amin(axis, keepdim=True)
        first = (x == best).int().argmax(axis).int()
        c.assert_same(out, first)


@triton.jit
def first_largest(a, i, b, j):  # tl.argmax's, by another operation: a tie and "larger" exclude each other
    left = (a > b) ^ ((a == b) & (i < j))
    return tl.where(left, a, b), tl.where(left, i, j)


@triton.jit
def last_largest(a, i, b, j):
    left = (a > b) | ((a == b) & (i > j))
    return tl.where(left, a, b), tl.where(left, i, j)


@triton.jit
def other_value(a, i, b, j):  # keeps the index of the largest and the value of the other
    left = (a > b) | ((a == b) & (i < j))
    return tl.where(left, b, a), tl.where(left, i, j)


@triton.jit
def largest_of_triton(tile, at, AXIS: tl.constexpr):
    return tl.max(tile, AXIS, return_indices=True)


@triton.jit
def largest_by_region(tile, at, AXIS: tl.constexpr):
    return tl.reduce((tile, at), AXIS, first_largest)


@triton.jit
def last_by_region(tile, at, AXIS: tl.constexpr):
    return tl.reduce((tile, at), AXIS, last_largest)


@triton.jit
def other_by_region(tile, at, AXIS: tl.constexpr):
    return tl.reduce((tile, at), AXIS, other_value)


@triton.jit
def pairs_kernel(x, values, indices, HOW: tl.constexpr, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.broadcast_to(tl.arange(0, M)[:, None] if AXIS == 0 else tl.arange(0, N)[None, :], (M, N))
    best, where = HOW(load_tile(x, M, N), at, AXIS)
    i = tl.arange(0, N if AXIS == 0 else M)
    tl.store(values + i, best)
    tl.store(indices + i, where)


def pairs_of(x, how, axis):
    M, N = x.shape
    values = torch.empty(N if axis == 0 else M, dtype=x.dtype)
    indices = torch.empty(values.shape, dtype=torch.int32)
    launch(pairs_kernel, x, values, indices, HOW=how, AXIS=axis, M=M, N=N)
    return values, indices


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32, torch.uint32, torch.float16], ids=str)
def test_largest_with_its_index_is_what_its_region_says(dtype, axis):
    x = torch.randint(0, 5, (32, 64)).to(dtype)
    if dtype.is_floating_point:
        x[torch.rand(x.shape) < 0.05] = float("nan")
        x[torch.rand(x.shape) < 0.2] *= -0.0
    for got, by_region in zip(pairs_of(x, largest_of_triton, axis), pairs_of(x, largest_by_region, axis)):
        c.assert_same(got, by_region)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32], ids=str)
def test_regions_that_are_almost_argmax_run_as_written(dtype, axis):
    x = torch.randint(0, 5, (32, 64)).to(dtype)
    values, last = pairs_of(x, last_by_region, axis)
    c.assert_same(values, x.amax(axis))
    size = x.shape[axis]
    c.assert_same(last, (size - 1 - (x == x.amax(axis, keepdim=True)).flip(axis).int().argmax(axis)).int())
    for row, got in zip(x if axis == 1 else x.t(), pairs_of(x, other_by_region, axis)[0]):
        tree = [(v, i) for i, v in enumerate(row.tolist())]
        while len(tree) > 1:
            half = len(tree) // 2
            pairs = [(a, b) if a[0] > b[0] or (a[0] == b[0] and a[1] < b[1]) else (b, a)
                     for a, b in zip(tree[:half], tree[half:])]
            tree = [(loser[0], winner[1]) for winner, loser in pairs]
        assert got.item() == tree[0][0]


@pytest.mark.parametrize("M, N", SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32], ids=str)
def test_whole_tile_reductions(dtype, M, N):
    x = tile(dtype, M, N)
    out = torch.empty(1, dtype=dtype)
    launch(reduce_all_kernel, x, out, OP=tl.sum, M=M, N=N)
    assert out.item() == x.sum().item()
    launch(reduce_all_kernel, x, out, OP=tl.max, M=M, N=N)
    assert out.item() == x.max().item()


@pytest.mark.parametrize("axis", [0, 1])
def test_xor_sum(axis):
    x = tile(torch.int32, 16, 32)
    out = torch.empty(32 if axis == 0 else 16, dtype=torch.int32)
    launch(reduce_kernel, x, out, OP=tl.xor_sum, AXIS=axis, M=16, N=32)
    expected = torch.zeros_like(out)
    for row in (x if axis == 0 else x.t()):
        expected ^= row
    c.assert_same(out, expected)


@triton.jit
def larger_magnitude(a, b):
    return tl.where(tl.abs(a) >= tl.abs(b), a, b)


@triton.jit
def custom_reduction(x, out, M: tl.constexpr, N: tl.constexpr):
    tl.store(out + tl.arange(0, M), tl.reduce(load_tile(x, M, N), 1, larger_magnitude))


def test_custom_reduction():
    x = torch.randn(16, 64)
    out = torch.empty(16)
    launch(custom_reduction, x, out, M=16, N=64)
    c.assert_same(out, x.gather(1, x.abs().argmax(1, keepdim=True)).squeeze(1))


@triton.jit
def welford(m1, s1, n1, m2, s2, n2):
    d = m2 - m1
    n = n1 + n2
    r = tl.where(n == 0, 0.0, n2 / n)
    return m1 + d * r, s1 + s2 + d * d * n1 * r, n


@triton.jit
def variance_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    v = load_tile(x, M, N)
    _, s, n = tl.reduce((v, tl.zeros_like(v), tl.full(v.shape, 1.0, v.dtype)), 1, welford)
    tl.store(out + tl.arange(0, M), s / n)


def test_reduction_over_three_operands():
    x = torch.randn(16, 128)
    out = torch.empty(16)
    launch(variance_kernel, x, out, M=16, N=128)
    torch.testing.assert_close(out, x.var(1, unbiased=False), rtol=1e-5, atol=1e-6)


def test_nan_in_reductions():
    x = torch.tensor([[1.0, float("nan"), 3.0, 2.0]] * 4)
    out = torch.empty(4)
    launch(reduce_kernel, x, out, OP=tl.max, AXIS=1, M=4, N=4)
    assert out.tolist() == [3.0] * 4  # the default drops NaN
    launch(reduce_kernel, x, out, OP=tl.sum, AXIS=1, M=4, N=4)
    assert out.isnan().all()


@triton.jit
def scan_kernel(x, out, OP: tl.constexpr, AXIS: tl.constexpr, REVERSE: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = OP(load_tile(x, M, N), AXIS, reverse=REVERSE)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("M, N", SHAPES)
def test_cumulative_sums_and_products(M, N, axis, reverse):
    for dtype in (torch.float32, torch.int32, torch.int64):
        x = tile(dtype, M, N)
        ordered = x.flip(axis) if reverse else x
        out = torch.empty_like(x)
        launch(scan_kernel, x, out, OP=tl.cumsum, AXIS=axis, REVERSE=reverse, M=M, N=N)
        exact = ordered.cumsum(axis).to(dtype)
        c.assert_same(out, exact.flip(axis) if reverse else exact)
    signs = torch.where(tile(torch.int32, M, N) > 0, 1.0, -1.0)
    out = torch.empty_like(signs)
    launch(scan_kernel, signs, out, OP=tl.cumprod, AXIS=axis, REVERSE=reverse, M=M, N=N)
    ordered = signs.flip(axis) if reverse else signs
    exact = ordered.cumprod(axis)
    c.assert_same(out, exact.flip(axis) if reverse else exact)


@triton.jit
def later(a, b):
    return tl.where(b != 0, b, a)


@triton.jit
def last_seen(x, out, REVERSE: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.associative_scan(tl.load(x + i), 0, later, reverse=REVERSE))


@pytest.mark.parametrize("reverse", [False, True])
def test_scan_that_does_not_commute(reverse):
    x = torch.randint(0, 3, (128,), dtype=torch.int32) * torch.arange(128, dtype=torch.int32)
    out = torch.empty_like(x)
    launch(last_seen, x, out, REVERSE=reverse, N=128)
    seen, expected = 0, []
    for v in (x.flip(0) if reverse else x).tolist():
        seen = v if v != 0 else seen
        expected.append(seen)
    assert out.tolist() == (expected[::-1] if reverse else expected)


@triton.jit
def sort_rows(x, out, DOWN: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = tl.sort(load_tile(x, M, N), descending=DOWN)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("M, N", [(1, 16), (4, 2), (8, 64), (2, 128)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int64, torch.uint8, torch.int16],
                         ids=str)
def test_sort(dtype, M, N, down):
    x = tile(dtype, M, N) if dtype != torch.uint8 else torch.randint(0, 256, (M, N), dtype=dtype)
    out = torch.empty_like(x)
    launch(sort_rows, x, out, DOWN=down, M=M, N=N)
    wide = x.double() if dtype.is_floating_point else x.long()
    c.assert_same(out, wide.sort(1, descending=down).values.to(dtype))


@triton.jit
def topk_kernel(x, out, K: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = tl.topk(load_tile(x, M, N), K)
    tl.store(out + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :], v)


@pytest.mark.parametrize("k", [1, 4, 32])
def test_topk(k):
    x = torch.randperm(4 * 64).float().reshape(4, 64)
    out = torch.empty(4, k)
    launch(topk_kernel, x, out, K=k, M=4, N=64)
    c.assert_same(out, x.topk(k, 1).values)


@triton.jit
def gather_kernel(x, index, out, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = tl.gather(load_tile(x, M, N), load_tile(index, M, N), AXIS)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.bfloat16, torch.int64], ids=str)
def test_gather(dtype, axis):
    x = tile(dtype, 16, 32)
    index = torch.randint(0, (16, 32)[axis], (16, 32), dtype=torch.int32)
    out = torch.empty_like(x)
    launch(gather_kernel, x, index, out, AXIS=axis, M=16, N=32)
    c.assert_same(out, x.gather(axis, index.long()))


@triton.jit
def permute_kernel(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr, P: tl.constexpr, Q: tl.constexpr, R: tl.constexpr):
    v = tl.reshape(tl.load(x + tl.arange(0, A * B * C)), [A, B, C])
    v = tl.permute(v, [P, Q, R])
    tl.store(out + tl.arange(0, A * B * C), tl.reshape(v, [A * B * C]))


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
@pytest.mark.parametrize("dtype", [torch.int8, torch.float16, torch.float32, torch.float64, torch.bool], ids=str)
def test_permute(dtype, order):
    x = torch.arange(4 * 8 * 16).remainder(2 if dtype == torch.bool else 120).to(dtype)
    out = torch.empty_like(x)
    launch(permute_kernel, x, out, A=4, B=8, C=16, P=order[0], Q=order[1], R=order[2])
    c.assert_same(out, x.view(4, 8, 16).permute(order).reshape(-1))


@triton.jit
def join_and_split(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    both = tl.join(tl.load(x + i), tl.load(y + i))
    a, b = tl.split(both)
    tl.store(out + i, b)
    tl.store(out + N + i, a)
    tl.store(out + 2 * N + tl.arange(0, 2 * N), tl.interleave(a, b))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int8, torch.bfloat16, torch.int64, torch.bool], ids=str)
def test_join_split_interleave(dtype):
    x, y = tile(dtype, 1, 64)[0], tile(dtype, 64, 1)[:, 0].contiguous()
    out = torch.empty(256, dtype=dtype)
    launch(join_and_split, x, y, out, N=64)
    c.assert_same(out, torch.cat([y, x, torch.stack([x, y], 1).reshape(-1)]))


@triton.jit
def broadcast_kernel(x, y, out, M: tl.constexpr, N: tl.constexpr):
    column = tl.load(x + tl.arange(0, M))
    row = tl.load(y + tl.arange(0, N))
    v = tl.broadcast_to(column[:, None], [M, N]) * row[None, :] + tl.expand_dims(column, 1)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v)


def test_broadcasting():
    x, y = torch.randint(0, 50, (16,)), torch.randint(0, 50, (32,))
    out = torch.empty(16, 32, dtype=torch.int64)
    launch(broadcast_kernel, x, y, out, M=16, N=32)
    c.assert_same(out, x[:, None] * y + x[:, None])


@triton.jit
def flip_kernel(x, out, AXIS: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    v = tl.flip(load_tile(x, M, N), AXIS)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v)


@pytest.mark.parametrize("axis", [0, 1])
def test_flip(axis):
    x = torch.randn(8, 16)
    out = torch.empty_like(x)
    launch(flip_kernel, x, out, AXIS=axis, M=8, N=16)
    c.assert_same(out, x.flip(axis))


@triton.jit
def histogram_kernel(x, mask, out, N: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + i), BINS, mask=tl.load(mask + i) != 0))


def test_masked_histogram():
    x, mask = torch.randint(0, 32, (256,), dtype=torch.int32), torch.randint(0, 2, (256,), dtype=torch.int32)
    out = torch.empty(32, dtype=torch.int32)
    launch(histogram_kernel, x, mask, out, N=256, BINS=32)
    c.assert_same(out, torch.bincount(x[mask != 0], minlength=32).int())


@triton.jit
def softmax_kernel(x, out, M: tl.constexpr, N: tl.constexpr):
    v = tl.softmax(load_tile(x, M, N), 1, keep_dims=True)
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v)


def test_softmax_of_a_tile():
    x = torch.randn(8, 64) * 5
    out = torch.empty_like(x)
    launch(softmax_kernel, x, out, M=8, N=64)
    torch.testing.assert_close(out, x.softmax(1), rtol=1e-6, atol=1e-7)
