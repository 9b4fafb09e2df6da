# SPDX-License-Identifier: Apache-2.0
"""Kernels that only the speed tables need; the others are those of tests/python/vm/kernels.py."""
import triton
import triton.language as tl


@triton.jit
def empty(n):
    pass


@triton.jit
def silu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.store(out + i, v * tl.sigmoid(v), mask=m)


@triton.jit
def gelu(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.store(out + i, 0.5 * v * (1 + tl.erf(v * 0.7071067811865476)), mask=m)


@triton.jit
def clamped_select(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m)
    tl.store(out + i, tl.where(v > 0, v, 0.01 * tl.load(y + i, mask=m)), mask=m)


@triton.jit
def random_fill(out, n, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.rand(seed, i), mask=i < n)


@triton.jit
def row_sum(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * n + i, mask=i < n, other=0.0), 0))


@triton.jit
def column_max(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    j = tl.program_id(0) * BN + tl.arange(0, BN)
    top = tl.full([BM, BN], -float("inf"), tl.float32)
    for start in range(0, M, BM):
        i = start + tl.arange(0, BM)
        top = tl.maximum(top, tl.load(x + i[:, None] * N + j[None, :]))
    tl.store(out + j, tl.max(top, 0))


@triton.jit
def rms_norm(x, w, out, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + row * n + i, mask=m, other=0.0)
    scale = tl.rsqrt(tl.sum(v * v, 0) / n + eps)
    tl.store(out + row * n + i, v * scale * tl.load(w + i, mask=m), mask=m)


@triton.jit
def transpose(x, out, M, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    j = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(out + j[:, None] * M + i[None, :], tl.trans(v))


@triton.jit
def take(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + tl.load(index + i, mask=m, other=0), mask=m), mask=m)


@triton.jit
def scatter_add(x, index, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.atomic_add(out + tl.load(index + i, mask=m, other=0), tl.load(x + i, mask=m), mask=m)
