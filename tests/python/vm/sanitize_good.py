# SPDX-License-Identifier: Apache-2.0
"""Kernels without a fault and their launches; test_sanitize_mutants.py changes one place of this file at a time."""
import torch
import triton
import triton.language as tl

N = 1000


def launched(launch, kernel, grid, *args, empty=(), **options):
    """Runs with every check; `empty`: the tensors that nothing has written yet."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    undefined = [i for i, tensor in enumerate(tensors) if any(tensor is other for other in empty)]
    return launch(kernel, grid, *args, vm_options={"sanitize": "all", "undefined": undefined, "seconds": 60.0}, **options)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + i, mask=mask)
    b = tl.load(y + i, mask=mask)
    tl.store(out + i, a + b, mask=mask)


def add(launch):
    x, y, out = torch.randn(N), torch.randn(N), torch.empty(N)
    return launched(launch, add_kernel, (8,), x, y, out, N, BLOCK=128, empty=[out])


@triton.jit
def number_kernel(x, out, n, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    j = p * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + j, mask=j < n, other=0.0)
    tl.store(out + j, v + p, mask=j < n)


def number(launch):
    x, out = torch.randn(N), torch.empty(N)
    return launched(launch, number_kernel, (8,), x, out, N, BLOCK=128, empty=[out])


@triton.jit
def softmax_kernel(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    c = tl.arange(0, BLOCK)
    v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + c, e / tl.sum(e, 0), mask=c < n)


def softmax(launch):
    x, out = torch.randn(9, 100), torch.empty(9, 100)
    return launched(launch, softmax_kernel, (9,), x, out, 100, BLOCK=128, empty=[out])


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ma = (rm[:, None] < M) & (k + rk[None, :] < K)
        mb = (k + rk[:, None] < K) & (rn[None, :] < N)
        va = tl.load(a + rm[:, None] * K + (k + rk[None, :]), mask=ma, other=0.0)
        vb = tl.load(b + (k + rk[:, None]) * N + rn[None, :], mask=mb, other=0.0)
        acc = tl.dot(va, vb, acc, input_precision="ieee")
    mc = (rm[:, None] < M) & (rn[None, :] < N)
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=mc)


def matmul(launch):
    a, b, c = torch.randn(40, 50), torch.randn(50, 70), torch.empty(40, 70)
    return launched(launch, matmul_kernel, (3, 3), a, b, c, 40, 70, 50, BM=16, BN=32, BK=16, empty=[c])


@triton.jit
def transpose_kernel(x, out, M, N, BLOCK: tl.constexpr):
    tm = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tn = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mt = (tm[:, None] < M) & (tn[None, :] < N)
    vt = tl.load(x + tm[:, None] * N + tn[None, :], mask=mt)
    tl.store(out + tn[None, :] * M + tm[:, None], vt, mask=mt)


def transpose(launch):
    x, out = torch.randn(37, 53), torch.empty(53, 37)
    return launched(launch, transpose_kernel, (3, 4), x, out, 37, 53, BLOCK=16, empty=[out])


@triton.jit
def stencil_kernel(x, out, n, BLOCK: tl.constexpr):
    s = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    left = tl.load(x + s - 1, mask=(s >= 1) & (s <= n), other=0.0)
    right = tl.load(x + s + 1, mask=s < n - 1, other=0.0)
    tl.store(out + s, left + right, mask=s < n)


def stencil(launch):
    x, out = torch.randn(N), torch.empty(N)
    return launched(launch, stencil_kernel, (8,), x, out, N, BLOCK=128, empty=[out])


@triton.jit
def relu_kernel(x, n, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    vr = tl.load(x + r, mask=r < n)
    tl.store(x + r, tl.maximum(vr, 0.0) * 2.0, mask=r < n)


def relu(launch):
    x = torch.randn(N)
    return launched(launch, relu_kernel, (8,), x, N, BLOCK=128)


@triton.jit
def locked_kernel(x, total, lock, count, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    w = tl.arange(0, BLOCK)
    part = tl.load(x + row * n + w, mask=w < n, other=0.0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) != 0:
        part += tl.load(total + w, mask=w < n, other=0.0)
    tl.store(total + w, part, mask=w < n)
    tl.store(count, 1)
    tl.atomic_xchg(lock, 0)


def locked(launch):
    x, total = torch.randn(12, 100), torch.empty(100)
    lock, count = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    return launched(launch, locked_kernel, (12,), x, total, lock, count, 100, BLOCK=128, empty=[total])


@triton.jit
def last_kernel(x, parts, ticket, out, n, BLOCK: tl.constexpr, PROGRAMS: tl.constexpr):
    q = tl.program_id(0)
    h = q * BLOCK + tl.arange(0, BLOCK)
    tl.store(parts + q, tl.sum(tl.load(x + h, mask=h < n, other=0.0), 0))
    if tl.atomic_add(ticket, 1) == PROGRAMS - 1:
        tl.store(out, tl.sum(tl.load(parts + tl.arange(0, PROGRAMS)), 0))


def last(launch):
    x, parts, out = torch.randn(N), torch.empty(8), torch.empty(1)
    ticket = torch.zeros(1, dtype=torch.int32)
    return launched(launch, last_kernel, (8,), x, parts, ticket, out, N, BLOCK=128, PROGRAMS=8, empty=[parts, out])


@triton.jit
def histogram_kernel(x, bins, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    g = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    vg = tl.load(x + g, mask=g < n, other=0)
    tl.atomic_add(bins + vg, 1, mask=(g < n) & (vg < BINS))


def histogram(launch):
    x, bins = torch.randint(0, 64, (N,), dtype=torch.int32), torch.zeros(32, dtype=torch.int32)
    return launched(launch, histogram_kernel, (8,), x, bins, N, BINS=32, BLOCK=128)


@triton.jit
def barrier_kernel(arrived, x, out, BLOCK: tl.constexpr):
    u = tl.program_id(0)
    programs = tl.num_programs(0)
    e = tl.arange(0, BLOCK)
    tl.store(x + u * BLOCK + e, (u * BLOCK + e).to(tl.float32))
    tl.atomic_add(arrived, 1)
    while tl.atomic_add(arrived, 0) < programs:
        pass
    other = (u + 1) % programs
    tl.store(out + u * BLOCK + e, tl.load(x + other * BLOCK + e))


def barrier(launch):
    arrived, x, out = torch.zeros(1, dtype=torch.int32), torch.empty(160), torch.empty(160)
    return launched(launch, barrier_kernel, (10,), arrived, x, out, BLOCK=16, empty=[x, out])


@triton.jit
def flag_kernel(flag, box, out):
    z = tl.program_id(0)
    if z == 0:
        tl.store(box, 42)
        tl.atomic_xchg(flag, 1)
    else:
        while tl.atomic_cas(flag, 2, 2) == 0:
            pass
        tl.store(out + z, tl.load(box))


def flag(launch):
    word, box, out = torch.zeros(1, dtype=torch.int32), torch.empty(1, dtype=torch.int32), torch.zeros(4, dtype=torch.int32)
    return launched(launch, flag_kernel, (4,), word, box, out, empty=[box])


@triton.jit
def divide_kernel(x, y, out, groups, n, BLOCK: tl.constexpr):
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    size = n // tl.maximum(groups, 1)
    top = tl.load(x + t, mask=t < n, other=0)
    low = tl.load(y + t, mask=t < n, other=1)
    quotient = top // tl.where(low == 0, 1, low)
    tl.store(out + t, quotient + t // size, mask=t < n)


def divide(launch):
    x, y = torch.randint(0, 1000, (N,), dtype=torch.int32), torch.randint(0, 5, (N,), dtype=torch.int32)
    out = torch.empty(N, dtype=torch.int32)
    return launched(launch, divide_kernel, (8,), x, y, out, 0, N, BLOCK=128, empty=[out])


@triton.jit
def far_kernel(x, out, stride, BLOCK: tl.constexpr):
    k = tl.program_id(0).to(tl.int64)
    d = tl.arange(0, BLOCK)
    tl.store(out + k * BLOCK + d, tl.load(x + k * stride + d))


def far(launch):
    # Only the pages that are touched exist.
    x, out = torch.empty(5 * 2**29 + 64, dtype=torch.int8), torch.empty(6 * 64, dtype=torch.int8)
    return launched(launch, far_kernel, (6,), x, out, 2**29, BLOCK=64, empty=[out])


@triton.jit
def gather_kernel(x, index, out, n, size, BLOCK: tl.constexpr):
    f = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = tl.load(index + f, mask=f < n, other=0)
    good = (at >= 0) & (at < size)
    tl.store(out + f, tl.load(x + at, mask=good, other=0.0), mask=f < n)


def gather(launch):
    x, out = torch.randn(50), torch.empty(N)
    index = torch.randint(-5, 55, (N,), dtype=torch.int64)
    return launched(launch, gather_kernel, (8,), x, index, out, N, 50, BLOCK=128, empty=[out])


@triton.jit
def scatter_kernel(x, index, out, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    to = tl.load(index + o, mask=o < n, other=0)
    vo = tl.load(x + o, mask=o < n)
    tl.store(out + to, vo, mask=o < n)


def scatter(launch):
    x, out = torch.randn(N), torch.empty(N)
    return launched(launch, scatter_kernel, (8,), x, torch.randperm(N), out, N, BLOCK=128, empty=[out])


@triton.jit
def persistent_kernel(x, out, next_tile, n, BLOCK: tl.constexpr):
    tiles = tl.cdiv(n, BLOCK)
    tile = tl.atomic_add(next_tile, 1)
    while tile < tiles:
        b = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + b, tl.load(x + b, mask=b < n) * 2.0, mask=b < n)
        tile = tl.atomic_add(next_tile, 1)


def persistent(launch):
    x, out, next_tile = torch.randn(N), torch.empty(N), torch.zeros(1, dtype=torch.int32)
    return launched(launch, persistent_kernel, (3,), x, out, next_tile, N, BLOCK=64, empty=[out])


@triton.jit
def rows_kernel(x, index, out, M, C: tl.constexpr, R: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [M, C], [C, 1], [1, C])
    target = tl.make_tensor_descriptor(out, [M, C], [C, 1], [1, C])
    ids = tl.load(index + tl.program_id(0) * R + tl.arange(0, R))
    picked = source.gather(ids, 0)
    target.scatter(picked, ids, 0)


def rows(launch):
    x, out = torch.randn(32, 16), torch.empty(32, 16)
    return launched(launch, rows_kernel, (4,), x, torch.randperm(32).int(), out, 32, C=16, R=8, empty=[out])


@triton.jit
def blocks_kernel(x, total, out, R: tl.constexpr, C: tl.constexpr):
    sums = tl.make_tensor_descriptor(total, [R, C], [C, 1], [R, C])
    cells = (tl.program_id(0) * R + tl.arange(0, R)[:, None]) * C + tl.arange(0, C)[None, :]
    vb = tl.load(x + cells)
    sums.atomic_add([0, 0], vb)
    tl.store(out + cells, vb)


def blocks(launch):
    x, total, out = torch.randn(32, 16), torch.zeros(8, 16), torch.empty(32, 16)
    return launched(launch, blocks_kernel, (4,), x, total, out, R=8, C=16, empty=[out])


GOOD = [add, number, softmax, matmul, transpose, stencil, relu, locked, last, histogram, barrier, flag, divide, far,
        gather, scatter, persistent, rows, blocks]
