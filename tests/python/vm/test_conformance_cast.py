# SPDX-License-Identifier: Apache-2.0
"""Casts on the virtual machine: every dtype to every other over edge values, narrow formats exhaustively."""
import conformance as c
import numpy as np
import pytest
import torch
import triton
import triton.language as tl

ALL = c.INTEGERS + c.FLOATS + c.FP8 + [torch.bool]


@triton.jit
def cast(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


def converted(x, dtype):
    out = torch.empty(x.shape, dtype=dtype)
    result = c.launch(cast, (1,), x, out, BLOCK=x.numel())
    assert result["findings"] == [], result["findings"]
    return out


def patterns(dtype):
    """All bit patterns of an 8- or 16-bit dtype."""
    if dtype.itemsize == 1:
        return torch.arange(256).to(torch.uint8).view(dtype)
    return torch.from_numpy(np.arange(65536, dtype=np.uint16).view(np.int16)).view(dtype)


def saturated_fp8(x, dtype):
    """Nearest fp8 value, the largest finite one beyond the range (cvt.satfinite); NaN stays."""
    largest = torch.finfo(dtype).max
    wide = x.double()
    return torch.where(wide.isnan(), wide, wide.clamp(-largest, largest)).to(torch.float32).to(dtype)


@pytest.mark.parametrize("source", c.FP8 + [torch.float16, torch.bfloat16], ids=str)
@pytest.mark.parametrize("target", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_every_narrow_pattern_widens(source, target):
    x = patterns(source)
    if source == target or {source, target} == {torch.float16, torch.bfloat16}:
        pytest.skip("not a widening")
    expected = x.double().to(target)
    if (source, target) == (torch.float8_e5m2, torch.bfloat16):  # as on sm_90: no special values
        codes = x.view(torch.uint8)
        wide = (2.0 ** 16 * (1 + (codes & 3) / 4) * torch.where(codes >= 128, -1.0, 1.0)).to(target)
        expected = torch.where((codes & 0x7C) == 0x7C, wide, expected)
    c.assert_same(converted(x, target), expected)


@pytest.mark.parametrize("target", c.FP8, ids=str)
@pytest.mark.parametrize("source", [torch.float16, torch.bfloat16], ids=str)
def test_every_16_bit_pattern_becomes_fp8(source, target):
    x = patterns(source)
    c.assert_same(converted(x, target), saturated_fp8(x, target))


@pytest.mark.parametrize("source, target", [(torch.float16, torch.bfloat16), (torch.bfloat16, torch.float16)], ids=str)
def test_between_the_16_bit_formats(source, target):
    x = patterns(source)
    c.assert_same(converted(x, target), x.float().to(target))


@pytest.mark.parametrize("target", [torch.float16, torch.bfloat16] + c.FP8, ids=str)
def test_f32_rounds_to_nearest_even(target):
    exact = patterns(target).float()
    exact = exact[exact.isfinite()].unique()
    middle = (exact[1:] + exact[:-1]) / 2  # exact in f32: ties
    x = torch.cat([exact, middle, middle.nextafter(torch.tensor(1e30)), middle.nextafter(torch.tensor(-1e30))])
    x = torch.cat([x, torch.zeros(2 ** (len(x) - 1).bit_length() - len(x))])
    c.assert_same(converted(x, target), saturated_fp8(x, target) if target in c.FP8 else x.to(target))


@triton.jit
def toward_zero(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty, fp_downcast_rounding="rtz"))


@pytest.mark.parametrize("target", [torch.float16, torch.bfloat16], ids=str)
def test_f32_rounds_toward_zero_on_request(target):
    generator = torch.Generator().manual_seed(2)
    x = torch.cat([torch.randn(2032, generator=generator) * 100, c.values(torch.float32)])
    x = torch.where((x.abs() > torch.finfo(target).max) & x.isfinite(), 1.0, x)
    out = torch.empty(2048, dtype=target)
    assert c.launch(toward_zero, (1,), x, out, BLOCK=2048)["findings"] == []
    nearest = x.to(target)
    too_far = nearest.float().abs() > x.abs()
    expected = torch.where(too_far, (nearest.view(torch.int16) - 1).view(target), nearest)
    c.assert_same(out, expected)


def saturated_integer(value, dtype):
    """PTX cvt.rzi; 8 bits are the low byte of 16."""
    info = np.iinfo(c.numpy_dtype(dtype))
    if info.bits == 8:
        wide = np.iinfo(np.int16 if info.min < 0 else np.uint16)
        return 0 if value != value else int(max(wide.min, min(wide.max, value)) if abs(value) == float("inf")
                                            else max(wide.min, min(wide.max, int(value))))
    if value != value:
        return None
    if abs(value) == float("inf"):
        return info.max if value > 0 else info.min
    return max(info.min, min(info.max, int(value)))


@pytest.mark.parametrize("target", c.INTEGERS, ids=str)
@pytest.mark.parametrize("source", c.FLOATS, ids=str)
def test_floats_to_integers_truncate_and_saturate(source, target):
    spread = torch.tensor([0.99, -0.99, 1.5, -1.5, 127.9, -128.9, 255.9, 300.0, -300.0, 4e4, -4e4, 3e9, -3e9, 1e19, 1e25, 5.0],
                          dtype=torch.float64).to(source)
    x = torch.cat([c.values(source), spread])
    actual = c.exact_integers(converted(x, target))
    for value, got in zip(x.double().tolist(), actual):
        wanted = saturated_integer(value, target)
        if wanted is not None:  # NaN depends on the widths; the machine's unit test fixes it
            assert got == c.exact_integers(c.wrapped([wanted], target))[0], (value, got, wanted)


@pytest.mark.parametrize("target", c.FLOATS, ids=str)
@pytest.mark.parametrize("source", c.INTEGERS, ids=str)
def test_integers_to_floats_round_once(source, target):
    bits = np.iinfo(c.numpy_dtype(source)).bits
    tricky = [(1 << k) + (1 << max(k - d, 0)) + e for k in range(bits) for d in (8, 11, 24) for e in (0, 1)]
    x = torch.cat([c.values(source), c.wrapped(tricky, source)])
    x = torch.cat([x, c.wrapped([0] * (2 ** (len(x) - 1).bit_length() - len(x)), source)])
    numbers = c.exact_integers(x)
    actual = converted(x, target).double().tolist()
    for n, got in zip(numbers, actual):
        assert got == rounded(n, target), (n, got)


def rounded(n, dtype):
    """The integer in the float dtype, ties to even, by integer arithmetic."""
    digits = {torch.float16: 11, torch.bfloat16: 8, torch.float32: 24, torch.float64: 53}[dtype]
    size = abs(n)
    drop = max(size.bit_length() - digits, 0)
    kept, rest, half = size >> drop, size & ((1 << drop) - 1), (1 << drop) >> 1
    if rest > half or (rest == half and half and kept & 1):
        kept += 1
    value = float(kept << drop)
    if value > torch.finfo(dtype).max:
        value = float("inf")
    return -value if n < 0 else value


@pytest.mark.parametrize("source", c.INTEGERS + [torch.bool], ids=str)
@pytest.mark.parametrize("target", c.INTEGERS, ids=str)
def test_integers_extend_and_truncate(source, target):
    x = c.values(source)
    c.assert_same(converted(x, target), c.wrapped(c.exact_integers(x), target))


@pytest.mark.parametrize("source", [d for d in ALL if d not in c.FP8], ids=str)
def test_anything_to_bool_is_not_zero(source):
    x = c.values(source)
    numbers = x.double().tolist() if source.is_floating_point else c.exact_integers(x)
    c.assert_same(converted(x, torch.bool), torch.tensor([v != 0 for v in numbers]))


@triton.jit
def reinterpret(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty, bitcast=True))


@pytest.mark.parametrize("source, target", [(torch.float32, torch.int32), (torch.int32, torch.float32), (torch.bfloat16, torch.int16),
                                            (torch.uint16, torch.float16), (torch.float64, torch.int64), (torch.float16, torch.bfloat16),
                                            (torch.uint8, torch.float8_e4m3fn), (torch.float8_e5m2, torch.int8)], ids=str)
def test_bitcast_keeps_the_bits(source, target):
    x, _ = c.pairs(source)
    out = torch.empty(256, dtype=target)
    assert c.launch(reinterpret, (1,), x, out, BLOCK=256)["findings"] == []
    assert torch.equal(x.view(torch.uint8), out.view(torch.uint8))
