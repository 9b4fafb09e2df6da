# SPDX-License-Identifier: Apache-2.0
"""Whole kernels on the virtual machine against torch."""
import kernels
import pytest
import torch
import triton
from triton.tools.tensor_descriptor import TensorDescriptor
from vmlaunch import launch


def clean(result):
    assert result["findings"] == []
    return result


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int8,
                                   torch.float64])
@pytest.mark.parametrize("threads", [1, 2])
def test_add_is_exact(dtype, threads):
    n = 5000
    x = (torch.randn(n) * 50).to(dtype)
    y = (torch.randn(n) * 50).to(dtype)
    out = torch.empty_like(x)
    grid = (triton.cdiv(n, 512),)
    result = clean(launch(kernels.add, grid, x, y, out, n, BLOCK=512, vm_options={"threads": threads}))
    assert result["programs"] == triton.cdiv(n, 512)
    assert torch.equal(out, x + y)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("n", [1, 37, 1000, 1024])
def test_softmax(dtype, n):
    x = torch.randn(7, n).to(dtype)
    out = torch.empty_like(x)
    clean(launch(kernels.softmax, (7,), x, out, n, n, BLOCK=triton.next_power_of_2(n)))
    tolerance = {torch.float32: 1e-6, torch.float16: 1e-3, torch.bfloat16: 8e-3}[dtype]
    torch.testing.assert_close(out, torch.softmax(x.double(), 1).to(dtype), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype, precision", [(torch.float32, "ieee"), (torch.float32, "tf32"),
                                              (torch.float16, "tf32"), (torch.bfloat16, "tf32")])
@pytest.mark.parametrize("shape", [(64, 64, 64), (100, 200, 150), (1, 33, 17)])
def test_matmul(dtype, precision, shape):
    M, N, K = shape
    a = torch.randn(M, K).to(dtype)
    b = torch.randn(K, N).to(dtype)
    c = torch.empty(M, N, dtype=dtype)
    grid = (triton.cdiv(M, 32) * triton.cdiv(N, 64),)
    clean(launch(kernels.matmul, grid, a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM=32, BN=64,
                 BK=32, GROUP=4, PRECISION=precision))
    expected = a.double() @ b.double()
    bound = (a.double().abs() @ b.double().abs())
    exact = dtype == torch.float32 and precision == "ieee"
    unit = {torch.float16: 2**-11, torch.bfloat16: 2**-8, torch.float32: 2**-20 if exact else 2**-10}[dtype]
    assert ((c.double() - expected).abs() <= unit * (bound + 1e-3)).all()
    if dtype == torch.float32:  # and tf32 must be visible where K is not tiny
        assert ((c.double() - expected).abs().max() > 2**-18 * bound.mean()) == (precision == "tf32")


def test_matmul_takes_transposed_operands():
    a, b = torch.randn(96, 80).t(), torch.randn(70, 96).t()
    c = torch.empty(80, 70)
    clean(launch(kernels.matmul, (6,), a, b, c, 80, 70, 96, *a.stride(), *b.stride(), 70, 1, BM=32, BN=64,
                 BK=32, GROUP=2, PRECISION="ieee"))
    torch.testing.assert_close(c, a @ b, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_layer_norm(dtype):
    x = torch.randn(5, 700).to(dtype)
    w, b = torch.randn(700).to(dtype), torch.randn(700).to(dtype)
    out = torch.empty_like(x)
    clean(launch(kernels.layer_norm, (5,), x, out, w, b, 700, 700, 1e-5, BLOCK=256))
    expected = torch.nn.functional.layer_norm(x.double(), (700,), w.double(), b.double(), 1e-5).to(dtype)
    tolerance = 1e-5 if dtype == torch.float32 else 4e-3
    torch.testing.assert_close(out, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_summed_under_a_lock(threads):
    dy, xhat = torch.randn(32, 100), torch.randn(32, 100)
    dw, lock = torch.zeros(4, 100), torch.zeros(8, dtype=torch.int32)
    clean(launch(kernels.weight_gradient, (32,), dy, xhat, dw, lock, 100, GROUPS=4, BLOCK=128,
                 vm_options={"threads": threads}))
    torch.testing.assert_close(dw, (dy * xhat).view(8, 4, 100).sum(0), rtol=1e-5, atol=1e-5)
    assert lock[:4].eq(0).all() and lock[4:].eq(1).all()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_attention(dtype, causal):
    heads, n, d = 3, 75, 32
    q, k, v = (torch.randn(heads, n, d).to(dtype) for _ in range(3))
    out = torch.empty_like(q)
    grid = (triton.cdiv(n, 32), heads)
    clean(launch(kernels.attention, grid, q, k, v, out, d**-0.5, n, n * d, BM=32, BN=16, D=d, CAUSAL=causal))
    q, k, v = q.double(), k.double(), v.double()
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    torch.testing.assert_close(out.double(), expected, rtol=tolerance, atol=tolerance)


def philox_uniform(seed, counter):
    """tl.rand(seed, i): Philox 4x32-10, key (seed, 0), counter (i, 0, 0, 0), first word as a float."""
    c, k = [counter, 0, 0, 0], [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xFFFFFFFF, (a >> 32) ^ c[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    word = c[0] - (1 << 32) if c[0] >= 1 << 31 else c[0]
    return (-word - 1 if word < 0 else word) * 4.6566127342e-10


def test_dropout_follows_philox():
    x = torch.randn(1000)
    out = torch.empty_like(x)
    clean(launch(kernels.dropout, (4,), x, out, 1000, 0.4, 987, BLOCK=256))
    keep = torch.tensor([philox_uniform(987, i) > 0.4 for i in range(1000)])
    torch.testing.assert_close(out, torch.where(keep, x / 0.6, 0.0), rtol=1e-6, atol=0)


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("block", [2, 64, 1024])
def test_sort(block, down):
    x = torch.randint(0, 99, (3, block)).float()
    out = torch.empty_like(x)
    clean(launch(kernels.sort, (3,), x, out, BLOCK=block, DOWN=down))
    assert torch.equal(out, x.sort(1, descending=down).values)


@pytest.mark.parametrize("reverse", [False, True])
def test_cumsum(reverse):
    x = torch.randint(-9, 9, (2, 512)).float()
    out = torch.empty_like(x)
    clean(launch(kernels.cumsum, (2,), x, out, BLOCK=512, REVERSE=reverse))
    assert torch.equal(out, x.flip(1).cumsum(1).flip(1) if reverse else x.cumsum(1))


def test_bf16_sums_use_a_tree():
    x = torch.ones(1, 1024, dtype=torch.bfloat16)
    out = torch.empty_like(x)
    clean(launch(kernels.cumsum, (1,), x, out, BLOCK=1024, REVERSE=False))
    assert out[0, -1] == 1024  # one after another would stop at 256


def test_argmax_takes_the_first_of_ties():
    x = torch.randint(0, 5, (6, 300)).float()
    out = torch.empty(6, dtype=torch.int32)
    clean(launch(kernels.argmax, (6,), x, out, 300, BLOCK=512))
    assert out.tolist() == [row.tolist().index(row.max()) for row in x]


def test_scan_over_two_operands():
    a, b = torch.rand(128), torch.randn(128)
    out = torch.empty(128)
    clean(launch(kernels.recurrence, (1,), a, b, out, BLOCK=128))
    y, expected = 0.0, []
    for i in range(128):
        y = a[i].item() * y + b[i].item()
        expected.append(y)
    torch.testing.assert_close(out, torch.tensor(expected), rtol=1e-5, atol=1e-5)


def test_reductions_along_both_axes():
    x = torch.randint(-99, 99, (32, 64)).float()
    rows, columns = torch.empty(32), torch.empty(64)
    clean(launch(kernels.reductions, (1,), x, rows, columns, M=32, N=64))
    assert torch.equal(rows, x.sum(1)) and torch.equal(columns, x.max(0).values)


@pytest.mark.parametrize("threads", [1, 2])
def test_atomic_histogram(threads):
    x = torch.randint(0, 50, (5000,), dtype=torch.int32)
    bins = torch.zeros(50, dtype=torch.int32)
    clean(launch(kernels.atomic_histogram, (20,), x, bins, 5000, BLOCK=256, vm_options={"threads": threads}))
    assert torch.equal(bins.long(), torch.bincount(x, minlength=50))


def test_tile_histogram():
    x = torch.randint(0, 16, (256,), dtype=torch.int32)
    bins = torch.empty(16, dtype=torch.int32)
    clean(launch(kernels.tile_histogram, (1,), x, bins, BLOCK=256, BINS=16))
    assert torch.equal(bins.long(), torch.bincount(x, minlength=16))


@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
def test_atomic_extremes_and_masks(dtype):
    x = torch.randint(-99, 99, (64,)).to(dtype)
    out = torch.zeros(3, dtype=dtype)
    clean(launch(kernels.atomics, (1,), x, out, BLOCK=64))
    assert out.tolist() == [max(0, x.max().item()), min(0, x.min().item()), x[:5].sum().item()]


def test_while_and_if():
    x = torch.arange(1, 30, dtype=torch.int32)
    out = torch.empty_like(x)
    clean(launch(kernels.collatz, (29,), x, out))

    def steps(v):
        return 0 if v == 1 else 1 + steps(v // 2 if v % 2 == 0 else 3 * v + 1)
    assert out.tolist() == [steps(v) for v in x.tolist()]


def test_early_return():
    x = torch.tensor([4.0, -1.0, 9.0, 16.0])
    out = torch.full((4,), 7.0)
    clean(launch(kernels.early_return, (4,), x, out, 3))
    assert out.tolist() == [2.0, -1.0, 3.0, 7.0]


def test_calls():
    x = torch.randn(9)
    out = torch.empty(9)
    clean(launch(kernels.calls, (9,), x, out))
    assert torch.equal(out, x * 2 + 1)


def test_shapes():
    x = torch.randn(64)
    out = torch.empty(5, 64)
    clean(launch(kernels.shapes, (1,), x, out, BLOCK=64))
    expected = [x.view(4, 16).t().reshape(-1), x.view(32, 2).flip(1).reshape(-1),
                torch.cat([x[::2], x[1::2]]), x[(torch.arange(64) + 3) % 64], x.flip(0)]
    assert torch.equal(out, torch.stack(expected))


def test_gathered_rows():
    table, index = torch.randn(40, 50), torch.randint(0, 40, (16,))
    out = torch.empty(16, 50)
    clean(launch(kernels.gather_rows, (2,), table, index, out, 50, ROWS=8, BLOCK=64))
    assert torch.equal(out, table[index])


def test_functions():
    n = 100
    x = torch.rand(n) + 0.1
    out = torch.empty(9, n)
    clean(launch(kernels.functions, (1,), x, out, n, BLOCK=128))
    d = x.double()
    expected = [d.exp(), d.log(), d.sin(), torch.erf(d), d.rsqrt(), d.tanh(), d.sigmoid(),
                d.clamp(0.25, 0.75), torch.floor(x * 3).double() + d + d * d + 1]
    torch.testing.assert_close(out.double(), torch.stack(expected), rtol=1e-6, atol=1e-6)


def test_block_pointers():
    x = torch.randn(50, 70)
    out = torch.full((50, 70), -5.0)
    clean(launch(kernels.block_pointers, (4,), x, out, 50, 70, 70, BM=16, BN=32))
    assert torch.equal(out, x + 1)


def test_tensor_descriptors():
    x = torch.randn(50, 32)
    out = torch.full((50, 32), -5.0)
    clean(launch(kernels.descriptors, (4,), x, out, 50, 32, BM=16, BN=32))
    assert torch.equal(out, x * 2)


def test_host_tensor_descriptors():
    x = torch.randn(50, 32)
    out = torch.full((50, 32), -5.0)
    a, b = (TensorDescriptor(t, t.shape, t.stride(), [16, 32]) for t in (x, out))
    clean(launch(kernels.host_descriptors, (4,), a, b, BM=16))
    assert torch.equal(out, x * 2)


@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_fp8_rounds_to_nearest(dtype):
    x = torch.randn(64) * 20
    out = torch.empty(64, dtype=dtype)
    clean(launch(kernels.to_fp8, (1,), x, out, BLOCK=64))
    assert torch.equal(out.float(), x.to(dtype).float())


def test_pointer_arrays():
    parts = [torch.randn(32) for _ in range(3)]
    table = torch.tensor([p.data_ptr() for p in parts])
    out = torch.empty(3, 32)
    clean(launch(kernels.through_pointers, (3,), table, out, extra=parts, BLOCK=32))
    assert torch.equal(out, torch.stack(parts) * 2)
    missing = launch(kernels.through_pointers, (3,), table, out, extra=parts[:2], BLOCK=32)
    assert [(f["kind"], f["program"]) for f in missing["findings"]] == [("out_of_bounds", (2, 0, 0))]


def line_of(function, words):
    import inspect
    lines, start = inspect.getsourcelines(function.fn)
    return start + next(i for i, line in enumerate(lines) if words in line)


def test_out_of_bounds_is_named():
    source, out = torch.arange(100.0), torch.empty(100)
    result = launch(kernels.overrun, (4,), source, 100, out, BLOCK=32)
    (finding,) = result["findings"]
    assert finding["kind"] == "out_of_bounds" and finding["region"] == "source" and finding["index"] == 400
    assert finding["program"] == (3, 0, 0) and finding["file"].endswith("kernels.py")
    assert finding["line"] == line_of(kernels.overrun, "one element too far")
    assert finding["message"].startswith(
        "load of 4 bytes at element 100 of 'source', which has 100 elements, in program (3, 0, 0)")


def test_masked_lanes_are_not_blamed():
    source, out = torch.arange(100.0), torch.empty(100)
    clean(launch(kernels.overrun, (4,), source, 99, out, BLOCK=32))
    assert torch.equal(out[:99], source[1:])


def test_neighbouring_buffers_are_told_apart():
    memory = torch.arange(64.0)
    x, y = memory[:32].clone(), torch.empty(32)
    result = launch(kernels.add, (1,), x, x, y, 33, BLOCK=64)
    assert {f["region"] for f in result["findings"]} == {"x"}


def test_print_and_assert():
    x = torch.arange(4.0)
    result = launch(kernels.talk, (1,), x, BLOCK=4)
    assert "pid (0, 0, 0) idx (2) v: 2.0" in result["printed"]
    assert result["findings"] == []  # asserts are compiled in with debug=True only
    kernel = triton.JITFunction(kernels.talk.fn, debug=True)
    (finding,) = launch(kernel, (1,), x, BLOCK=4)["findings"]
    assert finding["kind"] == "assert" and "too large" in finding["message"] and finding["index"] == 3


def test_a_wait_that_nobody_ends_is_stopped():
    dy = torch.ones(1, 100)
    dw, lock = torch.zeros(1, 100), torch.ones(8, dtype=torch.int32)  # the lock is taken
    result = launch(kernels.weight_gradient, (1,), dy, dy, dw, lock, 100, GROUPS=4, BLOCK=128,
                    vm_options={"max_steps": 10000})
    assert [f["kind"] for f in result["findings"]] == ["step_limit"]


@pytest.mark.parametrize("order", ["reversed", "shuffled"])
def test_program_order_does_not_change_independent_programs(order):
    x, w, b = torch.randn(9, 300), torch.randn(300), torch.randn(300)
    out, other = torch.empty_like(x), torch.empty_like(x)
    clean(launch(kernels.layer_norm, (9,), x, out, w, b, 300, 300, 1e-5, BLOCK=128))
    clean(launch(kernels.layer_norm, (9,), x, other, w, b, 300, 300, 1e-5, BLOCK=128,
                 vm_options={"order": order, "seed": 5}))
    assert torch.equal(out, other)


def test_poison_shows_lanes_that_no_load_filled():
    x, out = torch.ones(8), torch.zeros(16)
    clean(launch(kernels.copy_more_than_loaded, (1,), x, out, 8, BLOCK=16))
    assert out.tolist() == [1.0] * 8 + [0.0] * 8
    poison = {"poison_masked": True}
    clean(launch(kernels.copy_more_than_loaded, (1,), x, out, 8, BLOCK=16, vm_options=poison))
    assert out[8:].isnan().all()


def test_wrapped_rows_and_growing_tables():
    table = torch.randn(7, 24)
    out = torch.empty(16, 32)
    clean(launch(kernels.wrapped_window, (1,), table, out, 7, 24, ROWS=16, BLOCK=32))
    rows, columns = (torch.arange(16) * 3 + 5) % 7, (torch.arange(32) + 9) % 24
    assert torch.equal(out, table[rows][:, columns])


def test_values_swapped_between_iterations():
    x = torch.randn(2, 64)
    for trips in range(4):
        out = torch.empty(2, 64)
        clean(launch(kernels.fibonacci, (1,), x, out, trips, BLOCK=64))
        a, b = x[0], x[1]
        for _ in range(trips):
            a, b = b, a + b
        assert torch.equal(out, torch.stack([a, b]))


@pytest.mark.parametrize("limit", [2**63 - 1, 2**63 - 2, -2**63, -2**63 + 1, 2**62, 0, 1, -1, 7, 8])
@pytest.mark.parametrize("start", [0, -3, 2**40, -2**40])
def test_comparisons_at_the_ends_of_the_integers(limit, start):
    out = torch.zeros(8, dtype=torch.int32)
    clean(launch(kernels.compare_with_limit, (1,), out, limit, start, N=8))
    index = [start + i for i in range(8)]
    expected = [(i < limit) + 2 * (i >= limit) + 4 * (i <= limit) + 8 * (i > limit) + 16 * (limit < i) for i in index]
    assert out.tolist() == expected
