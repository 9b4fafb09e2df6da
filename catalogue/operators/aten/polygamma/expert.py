# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::polygamma: recurrences lift the argument to 20, where asymptotic series converge at once."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def offsets(index, shape, strides):
    """Element offsets of linear indices into the dimensions `shape`, which the operand walks with `strides`."""
    at = index * 0
    rest = index
    for d in tl.static_range(len(shape) - 1, 0, -1):
        at += (rest % shape[d]) * strides[d]
        rest = rest // shape[d]
    return at + rest * strides[0]


@triton.jit
def digamma(x):
    """psi(x); left of zero by psi(1 - x) - pi cot(pi x)."""
    y = tl.where(x < 0, 1 - x, x)
    total = tl.zeros(x.shape, x.dtype)
    for _ in tl.static_range(20):  # psi(y) = psi(y + 1) - 1 / y
        near = y < 20
        total -= tl.where(near, 1 / y, 0.0)
        y = tl.where(near, y + 1, y)
    z = 1 / (y * y)
    series = z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z * (1.0 / 240 - z * (1.0 / 132)))))
    value = total + tl.log(y) - 0.5 / y - series
    part = x - tl.floor(x + 0.5)  # exact, and cot(pi x) has period 1
    angle = part * 3.141592653589793
    cot = 3.141592653589793 * tl.cos(angle) / tl.sin(angle)
    value = tl.where(x < 0, tl.where(part == 0, float("nan"), value - cot), value)
    return tl.where(x == 0, -1 / x, value)


@triton.jit
def power_sum(x, s):
    """The sum of (x + k)^-s over k = 0, 1, ...: terms up to 20, then Euler and Maclaurin's formula."""
    y = tl.where(x == 0, 0.0, x)  # -0 is 0
    total = tl.zeros(x.shape, x.dtype)
    steps = tl.minimum(tl.max(tl.where(y < 20, 20 - y, 0.0), 0), 1000.0)
    while steps > 0:
        near = y < 20
        total += tl.where(near, inverse_power(y, s), 0.0)
        y = tl.where(near, y + 1, y)
        steps -= 1
    # Terms B(2j) / (2j)! s (s + 1) ... (s + 2j - 2) y^(1 - s - 2j), each from the one before.
    z = 1 / (y * y)
    w = tl.full(x.shape, s, x.dtype)
    last = inverse_power(y, s)
    tail = last * y / (w - 1) + 0.5 * last
    term = last * w / y
    tail += term * (1.0 / 12)
    term = term * (w + 1) * (w + 2) * z
    tail -= term * (1.0 / 720)
    term = term * (w + 3) * (w + 4) * z
    tail += term * (1.0 / 30240)
    term = term * (w + 5) * (w + 6) * z
    tail -= term * (1.0 / 1209600)
    term = term * (w + 7) * (w + 8) * z
    tail += term * (1.0 / 47900160)
    term = term * (w + 9) * (w + 10) * z
    tail -= term * (691.0 / 1307674368000)
    term = term * (w + 11) * (w + 12) * z
    tail += term * (1.0 / 74724249600)
    return total + tail


@triton.jit
def inverse_power(y, s):
    r = 1 / y
    result = r
    for _ in range(1, s):
        result = result * r
    return result


@triton.jit
def polygamma_kernel(out, x, n, factor: "fp64", numel, shape, out_strides, x_strides, DIGAMMA: tl.constexpr,
                     COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside, other=1).to(COMPUTE)
    if DIGAMMA:
        result = digamma(a)
    else:
        result = power_sum(a, n + 1) * factor.to(COMPUTE)
    tl.store(out + offsets(index, shape, out_strides), result.to(out.dtype.element_ty), mask=inside)


def collapse(shape, *strides):
    """Drops dimensions of size 1 and merges neighbours that every operand walks as one; never returns rank 0."""
    merged = []
    for size, *steps in zip(shape, *strides):
        if size == 1:
            continue
        if merged and all(p == s * size for p, s in zip(merged[-1][1:], steps)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    columns = zip(*(merged or [[1] * (1 + len(strides))]))
    return [tuple(column) for column in columns]


def launch(n, self, out):
    if out is None:
        dtype = self.dtype if self.dtype.is_floating_point else torch.get_default_dtype()  # integers give floats
        out = torch.empty(self.shape, dtype=dtype, device=self.device)
    numel = out.numel()
    if numel:
        shape, out_strides, x_strides = collapse(self.shape, out.stride(), self.stride())
        compute = tl.float64 if self.dtype == torch.float64 else tl.float32
        factor = float(math.factorial(n)) * (1 if n % 2 else -1)
        polygamma_kernel[(triton.cdiv(numel, 1024),)](out, self, n, factor, numel, shape, out_strides, x_strides,
                                                      DIGAMMA=n == 0, COMPUTE=compute, BLOCK=1024)
    return out


def polygamma(n, self):
    return launch(n, self, None)


def polygamma_out(n, self, *, out):
    return launch(n, self, out)
