# SPDX-License-Identifier: Apache-2.0
"""Tiles combined with a column or a row, on either side, which the machine does not spread first: against torch."""
import conformance as c
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def combine_kernel(x, y, out, OP: tl.constexpr, COLUMN: tl.constexpr, RIGHT: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    m, n = tl.arange(0, M), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    tile = tl.load(x + at)
    narrow = tl.load(y + m)[:, None] if COLUMN else tl.load(y + n)[None, :]
    left, right = (tile, narrow) if RIGHT else (narrow, tile)
    if OP == "sub":
        made = left - right
    elif OP == "div":
        made = left / right
    else:
        made = tl.maximum(left, right)
    tl.store(out + at, made)


TORCH = {"sub": torch.sub, "div": torch.div, "max": torch.maximum}


@pytest.mark.parametrize("M, N", [(2, 16), (16, 32), (64, 64), (4, 256), (8, 2), (1, 64)])
@pytest.mark.parametrize("column", [True, False], ids=["column", "row"])
@pytest.mark.parametrize("right", [True, False], ids=["right", "left"])
@pytest.mark.parametrize("op", list(TORCH))
def test_either_side(op, right, column, M, N):
    x, y = torch.randn(M, N), torch.randn(M if column else N)
    out = torch.empty(M, N)
    assert c.launch(combine_kernel, (1,), x, y, out, OP=op, COLUMN=column, RIGHT=right, M=M, N=N)["findings"] == []
    narrow = y[:, None] if column else y[None, :]
    assert torch.equal(out, TORCH[op](x, narrow) if right else TORCH[op](narrow, x))


@triton.jit
def loop_kernel(x, out, N: tl.constexpr, ROUNDS: tl.constexpr):
    m, n = tl.arange(0, 16), tl.arange(0, N)
    at = m[:, None] * N + n[None, :]
    tile = tl.load(x + at)
    for _ in range(ROUNDS):
        tile = tile - tl.max(tile, 1)[:, None]
        tile = tile * tl.sum(tile, 0)[None, :]
    tl.store(x + at, tile * 2)  # in place: the operand lies where the result goes
    tl.store(out + at, tile + tl.max(tile, 1)[:, None] + tl.min(tile, 0)[None, :])


def test_in_a_loop_and_in_place():
    x = torch.randint(-3, 4, (16, 32)).float()
    expected = x.clone()
    for _ in range(2):
        expected = expected - expected.amax(1, keepdim=True)
        expected = expected * expected.sum(0, keepdim=True)
    out = torch.empty(16, 32)
    assert c.launch(loop_kernel, (1,), x, out, N=32, ROUNDS=2)["findings"] == []
    assert torch.equal(x, expected * 2)
    assert torch.equal(out, expected + expected.amax(1, keepdim=True) + expected.amin(0, keepdim=True))


def test_an_output_that_is_the_column_s_own_memory():
    """Row by row: what is written must not be read as the column of a later row."""
    memory = torch.arange(1.0, 16 * 16 + 1)
    x, column = memory.view(16, 16).clone(), memory[:16].clone()
    assert c.launch(combine_kernel, (1,), x, memory, memory, OP="sub", COLUMN=True, RIGHT=True, M=16, N=16)["findings"] == []
    assert torch.equal(memory.view(16, 16), x - column[:, None])
