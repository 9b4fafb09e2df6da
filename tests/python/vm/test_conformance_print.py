# SPDX-License-Identifier: Apache-2.0
"""tl.device_print over dtypes and shapes, and tl.device_assert, as text and as findings."""
import conformance as c
import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def show(x, HEX: tl.constexpr, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.device_print("value", tl.load(x + at), hex=HEX)


@pytest.mark.parametrize("hexadecimal", [False, True])
@pytest.mark.parametrize("dtype", [*c.INTEGERS, torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_printed_values(dtype, hexadecimal):
    x = c.values(dtype).view(4, 4)
    result = c.launch(show, (1,), x, HEX=hexadecimal, M=4, N=4)
    assert result["findings"] == []
    lines = result["printed"].splitlines()
    assert len(lines) == 16
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[x.element_size()]
    for i, (line, bits, value) in enumerate(zip(lines, x.view(width).reshape(-1).tolist(), x.reshape(-1).tolist())):
        head, text = line.split(" value: ")
        assert head == f"pid (0, 0, 0) idx ({i // 4}, {i % 4})"
        if hexadecimal:
            assert int(text, 16) == bits & (2 ** (8 * x.element_size()) - 1)
            assert len(text) == 2 + 2 * x.element_size()
        elif dtype.is_floating_point:
            assert text == f"{value:.6f}" or (value != value and text.lstrip("-") == "nan")
        else:
            assert int(text) == value


@triton.jit
def greet():
    tl.device_print("here")


def test_print_without_values():
    result = c.launch(greet, (2,))
    assert result["printed"].splitlines() == ["pid (0, 0, 0) idx () here", "pid (1, 0, 0) idx () here"]


@triton.jit
def insist(x, N: tl.constexpr):
    tl.device_assert(tl.load(x + tl.arange(0, N)) >= 0, "must not be negative")


def test_assertions_name_the_element():
    x = torch.arange(16, dtype=torch.int32)
    assert c.launch(insist, (1,), x, N=16, debug=True)["findings"] == []
    x[11] = -1
    findings = c.launch(insist, (1,), x, N=16, debug=True)["findings"]
    assert [f["kind"] for f in findings] == ["assert"]
    assert "must not be negative" in findings[0]["message"] and "element 11" in findings[0]["message"]
    assert findings[0]["line"] > 0


@triton.jit
def overflow(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.load(x + i) * 65536)


def test_debug_builds_find_overflow():
    x, out = torch.full((16,), 70000, dtype=torch.int32), torch.empty(16, dtype=torch.int32)
    assert c.launch(overflow, (1,), x, out, N=16)["findings"] == []
    findings = c.launch(overflow, (1,), x, out, N=16, debug=True)["findings"]
    assert [f["kind"] for f in findings] == ["assert"] and "overflow" in findings[0]["message"]
