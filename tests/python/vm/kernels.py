# SPDX-License-Identifier: Apache-2.0
"""Kernels that the virtual machine is tested with: tutorial patterns, and one per group of operations."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@triton.jit
def softmax(x, out, row_stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + row * row_stride + i, mask=m, other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * row_stride + i, (e / tl.sum(e, 0)).to(out.dtype.element_ty), mask=m)


@triton.jit
def matmul(a, b, c, M, N, K, sam, sak, sbk, sbn, scm, scn, BM: tl.constexpr, BN: tl.constexpr,
           BK: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr):
    pid = tl.program_id(0)
    grid_m = tl.cdiv(M, BM)
    grid_n = tl.cdiv(N, BN)
    width = GROUP * grid_n
    first = pid // width * GROUP
    size = min(grid_m - first, GROUP)
    pid_m = first + pid % width % size
    pid_n = pid % width // size
    rm = (pid_m * BM + tl.arange(0, BM)) % M
    rn = (pid_n * BN + tl.arange(0, BN)) % N
    rk = tl.arange(0, BK)
    pa = a + rm[:, None] * sam + rk[None, :] * sak
    pb = b + rk[:, None] * sbk + rn[None, :] * sbn
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        va = tl.load(pa, mask=rk[None, :] < left, other=0.0)
        vb = tl.load(pb, mask=rk[:, None] < left, other=0.0)
        acc = tl.dot(va, vb, acc, input_precision=PRECISION)
        pa += BK * sak
        pb += BK * sbk
    om = pid_m * BM + tl.arange(0, BM)
    on = pid_n * BN + tl.arange(0, BN)
    tl.store(c + om[:, None] * scm + on[None, :] * scn, acc.to(c.dtype.element_ty),
             mask=(om[:, None] < M) & (on[None, :] < N))


@triton.jit
def layer_norm(x, out, w, b, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * stride
    out += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x + i, mask=i < n, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n
    square = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        d = tl.where(i < n, tl.load(x + i, mask=i < n, other=0.0).to(tl.float32) - mean, 0.0)
        square += d * d
    scale = 1 / tl.sqrt(tl.sum(square, axis=0) / n + eps)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        m = i < n
        v = (tl.load(x + i, mask=m, other=0.0).to(tl.float32) - mean) * scale
        tl.store(out + i, v * tl.load(w + i, mask=m) + tl.load(b + i, mask=m), mask=m)


@triton.jit
def weight_gradient(dy, xhat, dw, lock, n, GROUPS: tl.constexpr, BLOCK: tl.constexpr):
    """Layer norm's backward: rows of one group add into one row of dw under a spin lock."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < n
    group = row % GROUPS
    part = tl.load(dy + row * n + i, mask=m, other=0.0) * tl.load(xhat + row * n + i, mask=m, other=0.0)
    lock += group
    count = lock + GROUPS
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    seen = tl.load(count)
    if seen == 0:
        tl.atomic_xchg(count, 1)
    else:
        part += tl.load(dw + group * n + i, mask=m)
    tl.store(dw + group * n + i, part, mask=m)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def attention(q, k, v, out, scale, n, head_stride, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
              CAUSAL: tl.constexpr):
    pm = tl.program_id(0)
    head = tl.program_id(1) * head_stride
    om = pm * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    vq = tl.load(q + head + om[:, None] * D + d[None, :], mask=om[:, None] < n, other=0.0)
    top = tl.full([BM], -float("inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    end = min((pm + 1) * BM, n) if CAUSAL else n
    for start in range(0, end, BN):
        on = start + tl.arange(0, BN)
        vk = tl.load(k + head + on[None, :] * D + d[:, None], mask=on[None, :] < n, other=0.0)
        s = tl.dot(vq, vk, input_precision="ieee") * scale
        s = tl.where(on[None, :] < n, s, -float("inf"))
        if CAUSAL:
            s = tl.where(om[:, None] >= on[None, :], s, -float("inf"))
        higher = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - higher[:, None])
        fade = tl.exp(top - higher)
        total = total * fade + tl.sum(p, 1)
        vv = tl.load(v + head + on[:, None] * D + d[None, :], mask=on[:, None] < n, other=0.0)
        acc = acc * fade[:, None] + tl.dot(p.to(vv.dtype), vv, input_precision="ieee")
        top = higher
    tl.store(out + head + om[:, None] * D + d[None, :], (acc / total[:, None]).to(out.dtype.element_ty),
             mask=om[:, None] < n)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=m) / (1 - p), 0.0), mask=m)


@triton.jit
def sort(x, out, BLOCK: tl.constexpr, DOWN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i), descending=DOWN))


@triton.jit
def cumsum(x, out, BLOCK: tl.constexpr, REVERSE: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), 0, reverse=REVERSE))


@triton.jit
def argmax(x, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row, tl.argmax(tl.load(x + row * n + i, mask=i < n, other=-float("inf")), 0))


@triton.jit
def affine_compose(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    _, y = tl.associative_scan((tl.load(a + i), tl.load(b + i)), 0, affine_compose)
    tl.store(out + i, y)


@triton.jit
def reductions(x, rows, columns, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)
    j = tl.arange(0, N)
    v = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(rows + i, tl.sum(v, 1))
    tl.store(columns + j, tl.max(v, 0))


@triton.jit
def atomic_histogram(x, bins, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.atomic_add(bins + tl.load(x + i, mask=m, other=0), 1, mask=m)


@triton.jit
def tile_histogram(x, bins, BLOCK: tl.constexpr, BINS: tl.constexpr):
    tl.store(bins + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, BLOCK)), BINS))


@triton.jit
def atomics(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.atomic_max(out + i * 0, v)
    tl.atomic_min(out + 1 + i * 0, v)
    tl.atomic_add(out + 2 + i * 0, v, mask=i < 5)


@triton.jit
def collatz(x, out):
    p = tl.program_id(0)
    v = tl.load(x + p)
    count = 0
    while v != 1:
        if v % 2 == 0:
            v = v // 2
        else:
            v = 3 * v + 1
        count += 1
    tl.store(out + p, count)


@triton.jit
def early_return(x, out, n):
    p = tl.program_id(0)
    if p >= n:
        return
    v = tl.load(x + p)
    if v < 0:
        tl.store(out + p, -1.0)
        return
    tl.store(out + p, tl.sqrt(v))


@triton.jit
def through_pointers(table, out, BLOCK: tl.constexpr):
    p = tl.program_id(0)
    source = tl.load(table + p).to(tl.pointer_type(tl.float32))
    i = tl.arange(0, BLOCK)
    tl.store(out + p * BLOCK + i, tl.load(source + i) * 2)


@triton.jit(noinline=True)
def scaled(a, b):
    return a * b + 1.0


@triton.jit
def calls(x, out):
    p = tl.program_id(0)
    tl.store(out + p, scaled(tl.load(x + p), 2.0))


@triton.jit
def shapes(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, tl.reshape(tl.trans(tl.reshape(v, [4, BLOCK // 4])), [BLOCK]))
    even, odd = tl.split(tl.reshape(v, [BLOCK // 2, 2]))
    tl.store(out + BLOCK + i, tl.reshape(tl.join(odd, even), [BLOCK]))
    tl.store(out + 2 * BLOCK + i, tl.cat(even, odd, can_reorder=True))
    tl.store(out + 3 * BLOCK + i, tl.gather(v, (i + 3) % BLOCK, 0))
    tl.store(out + 4 * BLOCK + i, tl.flip(v, 0))


@triton.jit
def gather_rows(table, index, out, D, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, BLOCK)
    at = tl.load(index + r)
    v = tl.load(table + at[:, None] * D + d[None, :], mask=d[None, :] < D)
    tl.store(out + r[:, None] * D + d[None, :], v, mask=d[None, :] < D)


@triton.jit
def functions(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + i, mask=m, other=1.0)
    tl.store(out + i, tl.exp(v), mask=m)
    tl.store(out + n + i, tl.log(v), mask=m)
    tl.store(out + 2 * n + i, tl.sin(v), mask=m)
    tl.store(out + 3 * n + i, tl.erf(v), mask=m)
    tl.store(out + 4 * n + i, tl.rsqrt(v), mask=m)
    tl.store(out + 5 * n + i, libdevice.tanh(v), mask=m)
    tl.store(out + 6 * n + i, tl.sigmoid(v), mask=m)
    tl.store(out + 7 * n + i, tl.clamp(v, 0.25, 0.75), mask=m)
    tl.store(out + 8 * n + i, tl.floor(v * 3) + tl.abs(-v) + tl.fma(v, v, 1.0), mask=m)


@triton.jit
def block_pointers(x, out, M, N, stride, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    a = tl.make_block_ptr(x, (M, N), (stride, 1), (row, 0), (BM, BN), (1, 0))
    b = tl.make_block_ptr(out, (M, N), (stride, 1), (row, 0), (BM, BN), (1, 0))
    for _ in range(0, N, BN):
        tl.store(b, tl.load(a, boundary_check=(0, 1), padding_option="zero") + 1, boundary_check=(0, 1))
        a = tl.advance(a, (0, BN))
        b = tl.advance(b, (0, BN))


@triton.jit
def descriptors(x, out, M, N, BM: tl.constexpr, BN: tl.constexpr):
    a = tl.make_tensor_descriptor(x, [M, N], [N, 1], [BM, BN])
    b = tl.make_tensor_descriptor(out, [M, N], [N, 1], [BM, BN])
    row = tl.program_id(0) * BM
    b.store([row, 0], a.load([row, 0]) * 2)


@triton.jit
def host_descriptors(a, b, BM: tl.constexpr):
    row = tl.program_id(0) * BM
    b.store([row, 0], a.load([row, 0]) * 2)


@triton.jit
def to_fp8(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).to(out.dtype.element_ty))


@triton.jit
def talk(x, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.device_print("v", v)
    tl.device_assert(v < 3, "too large")


@triton.jit
def overrun(source, n, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(source + i + 1, mask=i < n)  # one element too far
    tl.store(out + i, v, mask=i < n)


@triton.jit
def copy_more_than_loaded(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n))


@triton.jit
def wrapped_window(table, out, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Row and column offsets that wrap around: neither is a line."""
    r = tl.arange(0, ROWS)
    c = tl.arange(0, BLOCK)
    at = ((r * 3 + 5) % M)[:, None] * N + ((c + 9) % N)[None, :]
    tl.store(out + r[:, None] * BLOCK + c[None, :], tl.load(table + at))


@triton.jit
def fibonacci(x, out, trips, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    b = tl.load(x + BLOCK + i)
    for _ in range(trips):
        a, b = b, a + b
    tl.store(out + i, a)
    tl.store(out + BLOCK + i, b)


@triton.jit
def compare_with_limit(out, limit, start, N: tl.constexpr):
    index = start.to(tl.int64) + tl.arange(0, N).to(tl.int64)
    tl.store(out + tl.arange(0, N), (index < limit).to(tl.int32) + 2 * (index >= limit).to(tl.int32)
             + 4 * (index <= limit).to(tl.int32) + 8 * (index > limit).to(tl.int32) + 16 * (limit < index).to(tl.int32))
