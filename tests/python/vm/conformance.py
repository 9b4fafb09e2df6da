# SPDX-License-Identifier: Apache-2.0
"""Edge values, generic kernels and comparison for the tests that hold every operation against torch or numpy.

What hardware does is another matter: tests/device holds the machine to an H200, and docs/vm.md lists where the two
differ.
"""
import numpy as np
import torch
import triton
import triton.language as tl
from vmlaunch import launch

INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64]
SIGNED = INTEGERS[:4]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
FP8 = [torch.float8_e4m3fn, torch.float8_e5m2]
BLOCK = 256


@triton.jit
def unary_kernel(x, out, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, OP(tl.load(x + i)))


@triton.jit
def binary_kernel(x, y, out, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, OP(tl.load(x + i), tl.load(y + i)))


@triton.jit
def ternary_kernel(x, y, z, out, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, OP(tl.load(x + i), tl.load(y + i), tl.load(z + i)))


def run(op, *inputs, out, findings=False):
    """Applies the @triton.jit function `op` to flat tensors of one length, a power of two."""
    kernel = [unary_kernel, binary_kernel, ternary_kernel][len(inputs) - 1]
    result = launch(kernel, (1,), *inputs, out, OP=op, BLOCK=inputs[0].numel())
    if not findings:
        assert result["findings"] == [], result["findings"]
    return out


def numpy_dtype(dtype):
    return np.dtype(str(dtype).removeprefix("torch."))


def integer_values(dtype):
    info = np.iinfo(numpy_dtype(dtype))
    wanted = [0, 1, 2, 3, 7, 10, 100, -1, -2, -7, info.max, info.max - 1, info.min, info.min + 1, info.max // 2 + 1, 0x5A]
    return np.array([v & (2**info.bits - 1) for v in wanted], dtype=np.uint64).astype(numpy_dtype(dtype))


def float_values(dtype):
    info = torch.finfo(dtype)
    values = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), info.max, info.min, info.tiny,
              info.tiny * info.eps, -info.tiny * info.eps * 3, 0.5, -2.5, 3.140625, 1 + info.eps]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def values(dtype):
    """16 values of the dtype: zeros, limits, infinities, NaN, denormals, and ordinary ones."""
    if dtype.is_floating_point:
        return float_values(dtype)
    if dtype == torch.bool:
        return torch.tensor([False, True] * 8)
    return torch.from_numpy(integer_values(dtype))


def pairs(dtype, other=None):
    """All 256 pairs of values: two flat tensors."""
    a, b = values(dtype), values(other or dtype)
    i = torch.arange(256)
    return pick(a, i // 16), pick(b, i % 16)


def pick(tensor, index):
    """tensor[index] also for the dtypes that torch cannot index."""
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[tensor.element_size()]
    return tensor.view(width)[index].view(tensor.dtype)


def assert_same(actual, expected, what=""):
    """Equal bit for bit, but any NaN equals any NaN."""
    assert actual.dtype == expected.dtype, (actual.dtype, expected.dtype)
    width = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}[actual.element_size()]
    wrong = actual.reshape(-1).view(width) != expected.reshape(-1).view(width)
    if actual.dtype.is_floating_point:
        wrong &= ~(actual.reshape(-1).double().isnan() & expected.reshape(-1).double().isnan())
    if wrong.any():
        at = wrong.nonzero()[0].item()
        raise AssertionError(f"{what} element {at}: {actual.reshape(-1)[at]} instead of {expected.reshape(-1)[at]}"
                             f" ({int(wrong.sum())} wrong)")


def exact_integers(tensor):
    """The values as Python integers."""
    return [int(v) for v in tensor.numpy().reshape(-1)] if tensor.dtype != torch.bool else [int(v) for v in tensor.tolist()]


def wrapped(numbers, dtype):
    """Python integers reduced to the dtype's width."""
    if dtype == torch.bool:
        return torch.tensor([bool(v & 1) for v in numbers])
    bits = np.iinfo(numpy_dtype(dtype)).bits
    return torch.from_numpy(np.array([v & (2**bits - 1) for v in numbers], dtype=np.uint64).astype(numpy_dtype(dtype)))
