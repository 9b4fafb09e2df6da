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


@triton.jit
def square_root(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.sqrt(tl.load(x + i)))


@triton.jit
def add_in_memory(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, 0.0)
    tl.atomic_add(out + i, tl.load(x + i))


@pytest.mark.parametrize("kernel", [square_root, add_in_memory], ids=lambda k: k.__name__)
def test_roots_and_atomics_flush_with_the_rest(kernel):
    least = torch.full((64,), 2.0**-149)
    assert (run(kernel, least) > 0).all() and (run(kernel, least, flush_denormals=True) == 0).all()


@triton.jit
def remainder(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) % tl.load(y + i))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_a_remainder_is_fmod_or_what_a_gpu_computes(dtype):
    x = torch.tensor([7.5, -4.0, 1e20, 5.0], dtype=dtype).repeat(16)
    y = torch.tensor([2.0, 2.0, 3.0, float("inf")], dtype=dtype).repeat(16)
    assert torch.equal(run(remainder, x, y), torch.fmod(x, y)) and run(remainder, x, y)[1].signbit()
    computed = run(remainder, x, y, exact_remainder=False)
    assert computed[:4:3].tolist() == [1.5, 5.0] and not computed[1].signbit()
    quotient = torch.trunc(x[2] / y[2]).double()
    assert computed[2] == (x[2].double() - quotient * y[2].double()).to(dtype) or dtype == torch.float64
