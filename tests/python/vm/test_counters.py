# SPDX-License-Identifier: Apache-2.0
"""The counters of the virtual machine, on kernels whose numbers follow from the text by hand."""
import inspect
import json

import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice

from vmlaunch import launch


def count(kernel, grid, *args, threads=1, **kw):
    """Launches the kernel and gives its counters with work as {(kind, type): count} and arguments by name."""
    result = launch(kernel, grid, *args, vm_options={"count": True, "threads": threads}, **kw)
    assert result["findings"] == []
    counters = json.loads(result["counters"])
    counters["work"] = {(w["kind"], w["type"]): w["count"] for w in counters["work"]}
    counters["arguments"] = {a["argument"]: a for a in counters["arguments"]}
    return counters


def floats(counters):
    return {key: n for key, n in counters["work"].items() if key[0] != "integer"}


def traffic(requests, lanes, bytes, sectors):
    return {"requests": requests, "lanes": lanes, "bytes": bytes, "sectors": sectors}


def line_of(kernel, text):
    """The line of this file on which the kernel says so."""
    lines, first = inspect.getsourcelines(kernel.fn)
    return first + next(i for i, line in enumerate(lines) if text in line)


NOTHING = traffic(0, 0, 0, 0)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)


@pytest.mark.parametrize("dtype, name, size", [
    (torch.float32, "f32", 4), (torch.float16, "f16", 2), (torch.bfloat16, "bf16", 2), (torch.float64, "f64", 8)])
def test_an_add_computes_whole_tiles_and_asks_for_active_lanes_alone(dtype, name, size):
    x, y, out = (torch.ones(1000, dtype=dtype) for _ in range(3))
    c = count(add_kernel, (4,), x, y, out, 1000, BLOCK=256)
    assert torch.equal(out, x + y)
    assert c["programs"] == 4
    assert floats(c) == {("add", name): 1024}
    # pid * BLOCK once; the sum with the range and the comparison per element; three pointers
    assert c["work"][("integer", "i32")] == 4 * (1 + 256 + 256)
    assert c["work"][("integer", "i64")] == 4 * 3 * 256
    whole = traffic(32, 1000, 1000 * size, -(-1000 * size // 32))
    for argument in "x", "y":
        assert c["arguments"][argument]["read"] == whole
        assert c["arguments"][argument]["written"] == NOTHING
        assert c["arguments"][argument]["unique_read"] == 1000 * size
    assert c["arguments"]["out"]["written"] == whole
    assert c["arguments"]["out"]["unique_written"] == 1000 * size
    assert c["totals"]["intensity"] == pytest.approx(1024 / (3000 * size))


def test_an_integer_add_is_no_flop():
    x = torch.arange(64, dtype=torch.int32)
    c = count(add_kernel, (1,), x, x.clone(), x.clone(), 64, BLOCK=64)
    assert floats(c) == {}
    assert c["totals"]["flops"] == 0
    assert c["work"][("integer", "i32")] == 1 + 3 * 64


def test_threads_change_no_number():
    x = torch.ones(100_000)
    one = count(add_kernel, (391,), x, x.clone(), x.clone(), 100_000, BLOCK=256)
    assert one == count(add_kernel, (391,), x, x.clone(), x.clone(), 100_000, BLOCK=256, threads=4)


@triton.jit
def softmax_kernel(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=float("-inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * columns + i, e / tl.sum(e, 0), mask=i < columns)


def test_a_softmax_row_is_two_folds_a_difference_an_exponential_and_a_quotient():
    x = torch.randn(3, 100)
    out = torch.empty_like(x)
    c = count(softmax_kernel, (3,), x, out, 100, BLOCK=128)
    torch.testing.assert_close(out, torch.softmax(x, 1))
    assert floats(c) == {("compare", "f32"): 3 * 127, ("add", "f32"): 3 * (128 + 127), ("special", "f32"): 3 * 128,
                         ("div", "f32"): 3 * 128}
    assert c["totals"]["flops"] == 3 * (128 + 127 + 128 + 128)
    # A row of 400 bytes begins 16 bytes into a sector in the second program: 32 lanes then lie in five sectors.
    assert c["arguments"]["x"]["read"] == traffic(12, 300, 1200, 13 + 16 + 13)
    assert c["arguments"]["x"]["unique_read"] == 1200


@triton.jit
def matmul_kernel(a, b, c, K, N: tl.constexpr, BLOCK: tl.constexpr, PRECISION: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, BLOCK):
        kk = k + tl.arange(0, BLOCK)
        acc = tl.dot(tl.load(a + i[:, None] * K + kk[None, :]), tl.load(b + kk[:, None] * N + j[None, :]), acc,
                     input_precision=PRECISION)
    tl.store(c + i[:, None] * N + j[None, :], acc)


@pytest.mark.parametrize("dtype, precision, name, products, share", [
    (torch.float16, "tf32", "f16", 1, 1.0), (torch.bfloat16, "tf32", "bf16", 1, 1.0),
    (torch.float32, "tf32", "tf32", 1, 1.0), (torch.float32, "ieee", "f32", 1, 0.0),
    (torch.float32, "tf32x3", "tf32", 3, 1.0)])
def test_a_product_is_two_flops_for_each_multiply_add(dtype, precision, name, products, share):
    m, n, k, block = 64, 128, 96, 32
    a, b, out = torch.randn(m, k).to(dtype), torch.randn(k, n).to(dtype), torch.empty(m, n)
    c = count(matmul_kernel, (m // block, n // block), a, b, out, k, N=n, BLOCK=block, PRECISION=precision)
    assert floats(c) == {("dot", name): products * 2 * m * n * k}
    assert c["totals"]["tensor_share"] == share
    programs = (m // block) * (n // block)
    assert [(loop["entered"], loop["trips"]) for loop in c["loops"]] == [(programs, programs * k // block)]
    size = a.element_size()
    # Each element of `a` is asked for once for every column of blocks, of `b` for every row of them.
    assert c["arguments"]["a"]["read"]["bytes"] == m * k * size * (n // block)
    assert c["arguments"]["b"]["read"]["bytes"] == k * n * size * (m // block)
    assert c["arguments"]["a"]["unique_read"] == m * k * size
    assert c["arguments"]["b"]["unique_read"] == k * n * size
    # 32 neighbours of a row, all rows aligned: one request each, without a sector too many.
    for argument in c["arguments"].values():
        moved = argument["written"] if argument["argument"] == "c" else argument["read"]
        assert moved["sectors"] * 32 == moved["bytes"]
        assert moved["requests"] * 32 == moved["lanes"]


@triton.jit
def strided_kernel(x, out, STRIDE: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i * STRIDE)
    tl.store(out + i, v)


@pytest.mark.parametrize("stride, sectors", [(1, 4), (2, 8), (4, 16), (8, 32), (32, 32)])
def test_a_stride_costs_a_sector_for_each_32_bytes_that_it_steps_over(stride, sectors):
    x, out = torch.arange(128 * stride, dtype=torch.float32), torch.empty(128)
    c = count(strided_kernel, (1,), x, out, STRIDE=stride, BLOCK=128)
    assert torch.equal(out, x[::stride])
    assert c["arguments"]["x"]["read"] == traffic(4, 128, 512, 4 * sectors)
    assert c["arguments"]["x"]["unique_read"] == 512
    load = next(a for a in c["accesses"] if a["verb"] == "load")
    assert load["line"] == line_of(strided_kernel, "tl.load")
    assert load["sectors"] == 4 * sectors


@triton.jit
def gather_kernel(x, index, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + tl.load(index + i)))


@pytest.mark.parametrize("indices, sectors, unique", [
    ([0] * 32, 1, 4),                              # all lanes one element
    ([8 * i for i in range(32)], 32, 128),         # a sector each
    ([8 * (i % 4) for i in range(32)], 4, 16),     # four sectors, again and again
    (list(reversed(range(32))), 4, 128),           # backwards is as good as forwards
    ([(i * 5) % 32 for i in range(32)], 4, 128)])  # so is any order within the request
def test_a_gather_counts_the_distinct_sectors_of_its_lanes(indices, sectors, unique):
    x, index, out = torch.randn(256), torch.tensor(indices, dtype=torch.int32), torch.empty(32)
    c = count(gather_kernel, (1,), x, index, out, BLOCK=32)
    assert torch.equal(out, x[index.long()])
    assert c["arguments"]["x"]["read"] == traffic(1, 32, 128, sectors)
    assert c["arguments"]["x"]["unique_read"] == unique


@triton.jit
def histogram_kernel(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(bins + tl.load(x + i, i < n, other=0), 1, i < n)


def test_atomics_stand_apart_and_their_bytes_are_read_and_written():
    x, bins = torch.arange(100, dtype=torch.int32) % 4, torch.zeros(16, dtype=torch.int32)
    c = count(histogram_kernel, (2,), x, bins, 100, BLOCK=64)
    assert bins[:4].tolist() == [25] * 4
    assert c["arguments"]["bins"]["atomic"] == traffic(4, 100, 400, 4)
    assert c["arguments"]["bins"]["read"] == c["arguments"]["bins"]["written"] == NOTHING
    assert c["arguments"]["bins"]["unique_read"] == c["arguments"]["bins"]["unique_written"] == 16


@triton.jit
def halving_kernel(x, out):
    pid = tl.program_id(0)
    v = tl.load(x + pid)
    steps = 0
    while v > 1:
        v = v // 2
        steps += 1
    for _ in range(steps):
        v += 1
    tl.store(out + pid, v)


def test_trips_of_loops_are_those_of_the_data_and_bear_their_lines():
    x = torch.tensor([1, 2, 5, 1024, 1_000_000], dtype=torch.int32)
    out = torch.empty_like(x)
    c = count(halving_kernel, (5,), x, out)
    trips = sum(int(v).bit_length() - 1 for v in x)
    assert {loop["line"]: (loop["entered"], loop["trips"]) for loop in c["loops"]} == {
        line_of(halving_kernel, "while"): (5, trips), line_of(halving_kernel, "for _"): (5, trips)}
    assert c["work"][("integer", "i64")] == 2 * 5  # two pointers


@triton.jit
def nested_kernel(out, N: tl.constexpr):
    total = 0.0
    for i in range(tl.program_id(0)):
        for _ in range(N):
            total += 1.5
        if i % 2 == 0:
            total *= 2.0
    tl.store(out + tl.program_id(0), total)


def test_what_a_branch_or_an_inner_loop_computes_counts_as_often_as_it_runs():
    c = count(nested_kernel, (4,), torch.empty(4), N=7)
    outer = 0 + 1 + 2 + 3
    assert floats(c) == {("add", "f32"): 7 * outer, ("mul", "f32"): 0 + 1 + 1 + 2}
    assert sorted((loop["entered"], loop["trips"]) for loop in c["loops"]) == [(4, outer), (outer, 7 * outer)]


@triton.jit
def tile_kernel(x, out, ROWS: tl.constexpr, COLUMNS: tl.constexpr, x_row, x_column):
    i, j = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    tl.store(out + i * COLUMNS + j, tl.load(x + i * x_row + j * x_column))


def test_a_request_is_32_neighbours_of_the_tile_in_row_major_order():
    x, out = torch.randn(64, 64), torch.empty(8, 16)
    # Rows of 16: two of them in a request, each of 64 bytes, 256 bytes apart.
    c = count(tile_kernel, (1,), x, out, ROWS=8, COLUMNS=16, x_row=64, x_column=1)
    assert torch.equal(out, x[:8, :16])
    assert c["arguments"]["x"]["read"] == traffic(4, 128, 512, 16)
    assert c["arguments"]["out"]["written"] == traffic(4, 128, 512, 16)
    # Columns of memory as rows of the tile: 16 rows apart and two neighbours, so that lanes share sectors by pairs.
    c = count(tile_kernel, (1,), x, out, ROWS=8, COLUMNS=16, x_row=1, x_column=64)
    assert torch.equal(out, x[:16, :8].T)
    assert c["arguments"]["x"]["read"] == traffic(4, 128, 512, 4 * 16)
    assert c["arguments"]["x"]["unique_read"] == 512


@triton.jit
def broadcast_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i // 64) + tl.load(x))


def test_a_scalar_load_is_a_request_of_one_lane():
    x, out = torch.ones(2), torch.empty(128)
    c = count(broadcast_kernel, (3,), x, out, BLOCK=128)
    # A tile of which 64 neighbours read one element, and the scalar.
    assert c["arguments"]["x"]["read"] == traffic(3 * (4 + 1), 3 * (128 + 1), 3 * 4 * (128 + 1), 3 * (4 + 1))
    assert c["arguments"]["x"]["unique_read"] == 8


@triton.jit
def twice_kernel(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mean = tl.sum(tl.load(x + i, i < n, other=0.0), 0) / n
    tl.store(x + i, tl.load(x + i, i < n) - mean, i < n)


def test_bytes_that_are_asked_for_twice_are_unique_once():
    x = torch.randn(96)
    c = count(twice_kernel, (1,), x, 96, BLOCK=128)
    x_counts = c["arguments"]["x"]
    assert (x_counts["read"]["bytes"], x_counts["unique_read"]) == (2 * 384, 384)
    assert (x_counts["written"]["bytes"], x_counts["unique_written"]) == (384, 384)


def test_lanes_that_are_all_masked_ask_for_nothing():
    x, out = torch.ones(64), torch.zeros(64)
    c = count(add_kernel, (2,), x, x.clone(), out, 0, BLOCK=32)
    assert c["arguments"] == {}
    assert floats(c) == {("add", "f32"): 64}


@triton.jit
def pair(a, i, b, j):
    larger = (a > b) | ((a == b) & (i < j))
    return tl.where(larger, a, b), tl.where(larger, i, j)


@triton.jit
def folds_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    _, at = tl.reduce((v, i), 0, pair)
    tl.store(out + i, tl.cumsum(v, 0) + at)


def test_regions_count_for_each_application_and_a_scan_as_a_serial_one():
    c = count(folds_kernel, (1,), torch.randn(64), torch.empty(64), BLOCK=64)
    # 63 applications of two float comparisons; 63 sums of the scan; one of the sum, one conversion of `at`.
    assert floats(c) == {("compare", "f32"): 2 * 63, ("add", "f32"): 63 + 64, ("convert", "f32"): 1}
    assert c["work"][("integer", "i32")] == 63  # i < j
    assert c["work"][("integer", "i1")] == 2 * 63  # `and`, `or`


@triton.jit
def functions_kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    v = tl.fma(v, v, v) + libdevice.fma(v, v, v)
    v = tl.sqrt(v) * libdevice.tanh(v) / tl.abs(v)
    v = tl.floor(v) + libdevice.fast_dividef(v, v)
    v = tl.inline_asm_elementwise("fma.rn.f32 $0, $1, $1, $1; ex2.approx.f32 $0, $0;", "=r,r", [v], tl.float32, True, 1)
    tl.store(out + i, v.to(tl.float16))


def test_functions_count_by_kind_and_a_fused_multiply_add_two():
    c = count(functions_kernel, (1,), torch.rand(32), torch.empty(32, dtype=torch.float16), BLOCK=32)
    assert floats(c) == {("fma", "f32"): 3 * 2 * 32, ("add", "f32"): 2 * 32, ("special", "f32"): 3 * 32,
                         ("mul", "f32"): 32, ("div", "f32"): 2 * 32, ("convert", "f32"): 32, ("convert", "f16"): 32}


@triton.jit(noinline=True)
def helper(v):
    return v * v + 1.0


@triton.jit
def calls_kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, helper(helper(tl.load(x))) + i)


def test_a_function_that_is_not_inlined_counts_for_each_call():
    c = count(calls_kernel, (5,), torch.ones(32), BLOCK=32)
    assert floats(c) == {("mul", "f32"): 5 * 2, ("add", "f32"): 5 * (2 + 32), ("convert", "f32"): 5 * 32}


@triton.jit
def descriptor_kernel(x, out, M, N, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BLOCK, BLOCK])
    target = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BLOCK, BLOCK])
    at = [tl.program_id(0) * BLOCK, tl.program_id(1) * BLOCK]
    target.store(at, source.load(at) * 2)


def test_a_descriptor_asks_for_what_lies_inside_its_tensor():
    m, n = 40, 48
    x, out = torch.randn(m, n), torch.empty(m, n)
    c = count(descriptor_kernel, (2, 2), x, out, m, n, BLOCK=32)
    assert torch.equal(out, 2 * x)
    # In each of 40 rows a request of 32 lanes, and one of 16; both begin at a sector.
    whole = traffic(2 * m, m * n, m * n * 4, m * n * 4 // 32)
    assert c["arguments"]["x"]["read"] == c["arguments"]["out"]["written"] == whole
    assert c["arguments"]["x"]["unique_read"] == c["arguments"]["out"]["unique_written"] == m * n * 4


def test_counting_changes_no_result():
    x = torch.randn(7, 100)
    plain, counted = torch.empty_like(x), torch.empty_like(x)
    launch(softmax_kernel, (7,), x, plain, 100, BLOCK=128)
    count(softmax_kernel, (7,), x, counted, 100, BLOCK=128)
    assert torch.equal(plain, counted)


def test_a_launch_is_sanitized_or_counted():
    x = torch.ones(32)
    with pytest.raises(ValueError, match="either sanitized or counted"):
        launch(add_kernel, (1,), x, x, x, 32, BLOCK=32, vm_options={"count": True, "sanitize": "all"})
