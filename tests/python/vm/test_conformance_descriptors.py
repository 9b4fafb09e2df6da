# SPDX-License-Identifier: Apache-2.0
"""Tensor descriptors on the virtual machine: gather, scatter and atomic updates, at the edges and over dtypes."""
import conformance as c
import pytest
import torch
import triton
import triton.language as tl


def launch(kernel, grid, *args, **kw):
    result = c.launch(kernel, grid, *args, **kw)
    assert result["findings"] == [], result["findings"]


@triton.jit
def gather_rows(x, rows, out, M, N, column, R: tl.constexpr, C: tl.constexpr):
    descriptor = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, C])
    tile = descriptor.gather(tl.load(rows + tl.arange(0, R)), column)
    tl.store(out + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :], tile)


@triton.jit
def scatter_rows(x, rows, tile, M, N, column, R: tl.constexpr, C: tl.constexpr):
    descriptor = tl.make_tensor_descriptor(x, [M, N], [N, 1], [1, C])
    v = tl.load(tile + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    descriptor.scatter(v, tl.load(rows + tl.arange(0, R)), column)


ROWS = torch.tensor([3, 0, 19, 3, -1, 20, 1000, 7], dtype=torch.int32)  # -1, 20 and 1000 lie outside
DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int16, torch.uint8, torch.int8, torch.uint32]


@pytest.mark.parametrize("column", [0, 5, 40, 60, 64, -3])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gathered_rows(dtype, column):
    x = torch.randint(1, 100, (20, 64)).to(dtype)
    out = torch.full((8, 32), 77).to(dtype)
    launch(gather_rows, (1,), x, ROWS, out, 20, 64, column, R=8, C=32)
    expected = torch.zeros(8, 32, dtype=torch.float64)
    for i, row in enumerate(ROWS.tolist()):
        for j in range(32):
            if 0 <= row < 20 and 0 <= column + j < 64:
                expected[i, j] = x[row].double()[column + j]
    c.assert_same(out, expected.to(dtype))


@pytest.mark.parametrize("column", [0, 5, 40, 64, -3])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_scattered_rows(dtype, column):
    rows = torch.tensor([3, 0, 19, 4, -1, 20, 1000, 7], dtype=torch.int32)
    x, tile = torch.randint(1, 100, (20, 64)).to(dtype), torch.randint(1, 100, (8, 32)).to(dtype)
    expected = x.double()
    for i, row in enumerate(rows.tolist()):
        for j in range(32):
            if 0 <= row < 20 and 0 <= column + j < 64:
                expected[row, column + j] = tile.double()[i, j]
    launch(scatter_rows, (1,), x, rows, tile, 20, 64, column, R=8, C=32)
    c.assert_same(x, expected.to(dtype))


@triton.jit
def reduce_block(x, tile, M, N, row, column, OP: tl.constexpr, R: tl.constexpr, C: tl.constexpr):
    descriptor = tl.make_tensor_descriptor(x, [M, N], [N, 1], [R, C])
    v = tl.load(tile + tl.arange(0, R)[:, None] * C + tl.arange(0, C)[None, :])
    if OP == "add":
        descriptor.atomic_add([row, column], v)
    elif OP == "min":
        descriptor.atomic_min([row, column], v)
    elif OP == "max":
        descriptor.atomic_max([row, column], v)
    elif OP == "and":
        descriptor.atomic_and([row, column], v)
    elif OP == "or":
        descriptor.atomic_or([row, column], v)
    else:
        descriptor.atomic_xor([row, column], v)


EXACT = {"add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
         "xor": lambda a, b: a ^ b}
BITS = ["and", "or", "xor"]
INTEGERS = [torch.int32, torch.uint32, torch.int64, torch.uint64]
CASES = ([("add", t) for t in (torch.int32, torch.uint32, torch.uint64, torch.float32, torch.float16, torch.bfloat16)]
         + [(op, t) for op in ("min", "max") for t in [*INTEGERS, torch.float16, torch.bfloat16]]
         + [(op, t) for op in BITS for t in INTEGERS])


@pytest.mark.parametrize("row, column", [(0, 0), (4, 16), (14, 28), (-2, -3)])
@pytest.mark.parametrize("op, dtype", CASES, ids=str)
def test_reduced_blocks(op, dtype, row, column):
    if dtype.is_floating_point:
        x, tile = torch.randn(16, 32).to(dtype), torch.randn(8, 16).to(dtype)
    else:
        a, b = c.pairs(dtype)
        x, tile = torch.cat([a, a.flip(0) if dtype in c.SIGNED else a]).view(16, 32), b[:128].clone().view(8, 16)
    plain = [c.exact_integers(t) if not dtype.is_floating_point else t.double().reshape(-1).tolist() for t in (x, tile)]
    expected = list(plain[0])
    for i in range(8):
        for j in range(16):
            r, s = row + i, column + j
            if 0 <= r < 16 and 0 <= s < 32:
                expected[r * 32 + s] = EXACT[op](plain[0][r * 32 + s], plain[1][i * 16 + j])
    launch(reduce_block, (1,), x, tile, 16, 32, row, column, OP=op, R=8, C=16)
    if dtype.is_floating_point:
        exact = torch.tensor(expected, dtype=torch.float64)
        wide = exact.float().to(dtype) if op == "add" else exact.to(dtype)
        c.assert_same(x.reshape(-1), wide)
    else:
        c.assert_same(x.reshape(-1), c.wrapped(expected, dtype))


@triton.jit
def collide(x, N, R: tl.constexpr, C: tl.constexpr):
    descriptor = tl.make_tensor_descriptor(x, [R, N], [N, 1], [R, C])
    descriptor.atomic_add([0, 0], tl.full([R, C], 1, tl.int32))


@pytest.mark.parametrize("threads", [1, 2])
def test_programs_that_reduce_into_one_block(threads):
    x = torch.zeros(8, 16, dtype=torch.int32)
    launch(collide, (200,), x, 16, R=8, C=16, vm_options={"threads": threads})
    assert (x == 200).all()


def test_a_descriptor_larger_than_its_tensor_is_found():
    x, out = torch.zeros(4, 32), torch.empty(8, 32)
    result = c.launch(gather_rows, (1,), x, torch.arange(8, dtype=torch.int32), out, 8, 32, 0, R=8, C=32)
    assert [f["kind"] for f in result["findings"]] == ["out_of_bounds"]
    assert "element 128 of 'x'" in result["findings"][0]["message"]
