# SPDX-License-Identifier: Apache-2.0
"""The machine's options for what a compiler does below TTIR: contraction to fma, flushed denormals."""

import conformance as c
import pytest
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice


def run(kernel, *inputs, **options):
    out = torch.empty_like(inputs[0])
    result = c.launch(kernel, (1,), *inputs, out, N=out.numel(), vm_options=options)
    assert result["findings"] == [], result["findings"]
    return out


@triton.jit
def sum_first(x, y, z, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) * tl.load(y + i) + tl.load(z + i))


@triton.jit
def subtracted(x, y, z, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(z + i) - tl.load(x + i) * tl.load(y + i))


@triton.jit
def in_another_block(x, y, z, out, N: tl.constexpr):
    i = tl.arange(0, N)
    product = tl.load(x + i) * tl.load(y + i)
    total = tl.load(z + i)
    for _ in range(tl.num_programs(0)):
        total += product
    tl.store(out + i, total)


@pytest.fixture
def operands():
    x, y = torch.full((64,), 1 + 2.0**-12), torch.full((64,), 1 + 2.0**-12)
    return x, y, torch.full((64,), -(1 + 2.0**-11))  # the product of x and y without its last bit


def test_a_sum_takes_its_product_in_when_asked(operands):
    assert (run(sum_first, *operands) == 0).all()
    assert (run(sum_first, *operands, contraction=True) == 2.0**-24).all()
    assert (run(sum_first, *operands) == 0).all()  # the other form is not mixed up with it


def test_a_difference_takes_its_product_in(operands):
    x, y, z = operands
    assert (run(subtracted, x, y, -z, contraction=True) == -(2.0**-24)).all()


def test_products_of_other_blocks_are_rounded(operands):
    assert (run(in_another_block, *operands, contraction=True) == 0).all()


@triton.jit
def whole(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.floor(tl.load(x + i)) + tl.ceil(tl.load(x + i)))


@triton.jit
def reciprocal(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, libdevice.rcp_rn(tl.load(x + i)))


def test_denormals_are_kept_or_flushed():
    least = torch.full((64,), 2.0**-149)
    least[::2] = -least[::2]
    assert run(whole, least).tolist() == [-1.0, 1.0] * 32
    assert (run(whole, least, flush_denormals=True) == 0).all()
    large = torch.full((64,), 2.0**127.5)
    assert (run(reciprocal, large) != 0).all() and (run(reciprocal, large, flush_denormals=True) == 0).all()
    assert run(reciprocal, least, flush_denormals=True).tolist() == [-float("inf"), float("inf")] * 32
