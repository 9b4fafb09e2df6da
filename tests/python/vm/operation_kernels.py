# SPDX-License-Identifier: Apache-2.0
"""Small kernels that together make the front end call everything of its builder; each stores what it computes."""
import torch
import triton
import triton.language as tl
from triton.language.extra.cuda import libdevice

N = 64


@triton.jit
def integers(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    r = (a + b) * 3 - (a & b) + (a | b) ^ (a >> 2)
    r += (a << 1) + a // b + a % b + tl.abs(a) + tl.minimum(a, b) + tl.maximum(a, b)
    r += (a == b).to(tl.int32) + (a != b).to(tl.int32) + (a < b).to(tl.int32) + (a <= b).to(tl.int32)
    r += (a > b).to(tl.int32) + (a >= b).to(tl.int32)
    tl.store(out + i, r)


@triton.jit
def unsigned(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i).to(tl.uint32), tl.load(y + i).to(tl.uint32)
    r = a // b + a % b + (a >> 3) + tl.minimum(a, b) + tl.maximum(a, b) + tl.umulhi(a, b)
    r += (a < b).to(tl.uint32) + (a <= b).to(tl.uint32) + (a > b).to(tl.uint32) + (a >= b).to(tl.uint32)
    r += a.to(tl.float32).to(tl.uint32)
    tl.store(out + i, r.to(tl.int32, bitcast=True))


@triton.jit
def floats(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i).to(tl.float32), tl.load(y + i).to(tl.float32)
    r = a + b - a * b + a / b + a % b + tl.fma(a, b, a) + tl.abs(a) + tl.floor(a) + tl.ceil(b)
    r += tl.exp(-tl.abs(a)) + tl.exp2(-tl.abs(b)) + tl.log(tl.abs(a) + 1) + tl.log2(tl.abs(b) + 1) + tl.sin(a) + tl.cos(b)
    r += tl.sqrt(tl.abs(a)) + tl.sqrt_rn(tl.abs(a)) + tl.rsqrt(tl.abs(b) + 1) + tl.erf(a) + tl.div_rn(a, b)
    r += tl.minimum(a, b) + tl.maximum(a, b) + tl.clamp(a, -1.0, 1.0)
    r += tl.minimum(a, b, tl.PropagateNan.ALL) + tl.maximum(a, b, tl.PropagateNan.ALL)
    r += libdevice.tanh(a)
    c = (a == b).to(tl.int32) + (a != b).to(tl.int32) + (a < b).to(tl.int32) + (a <= b).to(tl.int32)
    c += (a > b).to(tl.int32) + (a >= b).to(tl.int32)
    r = tl.where(c > 1, r, -r) + c
    tl.store(out + i, r.to(tl.float16).to(tl.float32).to(tl.int32))


@triton.jit
def narrow_floats(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i).to(tl.float32)
    r = a.to(tl.float8e4nv).to(tl.float32) + a.to(tl.float8e5).to(tl.float32)
    r += a.to(tl.bfloat16, fp_downcast_rounding="rtz").to(tl.float32)
    tl.store(out + i, r.to(tl.int32))


@triton.jit
def shapes(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.load(x + i), tl.load(y + i)
    j = tl.join(a, b)
    p, q = tl.split(j)
    t = tl.trans(tl.reshape(p - q, [8, N // 8]))
    m = tl.reshape(t, [N], can_reorder=True) + tl.broadcast_to(tl.expand_dims(tl.sum(a, 0), 0), [N])
    c = tl.cat(a, b, can_reorder=True)
    g = tl.gather(a, i ^ 1, 0) + tl.histogram(a & 15, N)
    tl.store(out + i, m + g + tl.sum(c, 0) + tl.cumsum(a, 0) + tl.reshape(a, [N]).sum())
    tl.store(out + tl.arange(0, 1), tl.full([1], 1, tl.int32))
    tl.store(out, tl.full([1], 7, tl.int32).item())


@triton.jit(noinline=True)
def early(a, b):
    if a > b:
        return a
    return b * 2


@triton.jit
def scalar_branch(a, b):
    if a > b:
        return a
    return b * 2


@triton.jit
def control(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    total = tl.zeros([N], tl.int32)
    for step in range(tl.load(x)):
        total += tl.load(x + i) * step
    k = tl.load(y)
    while k > 0:
        k = k // 2
        total += 1
    if tl.load(x) > 1:
        total += early(tl.load(x), tl.load(y))
    else:
        total -= 1
    total += tl.map_elementwise(scalar_branch, tl.load(x + i), tl.load(y + i))
    tl.store(out + i, total, mask=i < tl.num_programs(0) * N - tl.program_id(0))


@triton.jit
def returns_early(x, y, out, N: tl.constexpr):
    if tl.program_id(0) > 0:
        return
    if tl.load(x) < 0:
        tl.store(out, 1)
        return
    tl.store(out, 2)


@triton.jit
def memory(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.assume(N > 0)
    a = tl.load(x + i, mask=i < N - 3, other=1) + tl.load(y + i, mask=i < N - 3)
    tl.debug_barrier()
    tl.store(out + i, a, mask=i < N - 1)
    tl.atomic_add(out + i, 1)
    tl.atomic_max(out + i, a)
    tl.atomic_cas(out, 5, 6)
    address = (x + i).to(tl.int64)
    tl.store(out + i, tl.load(address.to(tl.pointer_type(tl.int32))))
    tl.store(out + i, tl.load((x + i).to(tl.pointer_type(tl.float32), bitcast=True)).to(tl.int32) + 1)


@triton.jit
def reports(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.device_print("x", tl.load(x + i))
    tl.device_assert(tl.load(x + i) > -100, "small")
    tl.store(out + i, i)


@triton.jit
def block_pointers(x, y, out, N: tl.constexpr):
    p = tl.make_block_ptr(x, (8, N // 8), (N // 8, 1), (0, 0), (8, 8), (1, 0))
    q = tl.make_block_ptr(out, (8, N // 8), (N // 8, 1), (0, 0), (8, 8), (1, 0))
    tl.store(tl.advance(q, (0, 0)), tl.load(p, boundary_check=(0, 1)), boundary_check=(0, 1))


@triton.jit
def descriptors(x, y, out, N: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [8, N // 8], [N // 8, 1], [8, 8])
    target = tl.make_tensor_descriptor(out, [8, N // 8], [N // 8, 1], [8, 8])
    target.store([0, 0], source.load([0, 0]))
    target.atomic_add([0, 0], source.load([0, 0]))
    rows = tl.make_tensor_descriptor(x, [8, N // 8], [N // 8, 1], [1, 8])
    into = tl.make_tensor_descriptor(out, [8, N // 8], [N // 8, 1], [1, 8])
    into.scatter(rows.gather(tl.arange(0, 8), 0), tl.arange(0, 8), 0)


@triton.jit
def products(x, y, out, N: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    a = (at % 7).to(tl.float16)
    r = tl.dot(a, a) + tl.dot(a.to(tl.float32), a.to(tl.float32), input_precision="tf32x3")
    wide = (tl.arange(0, 32)[:, None] * 32 + tl.arange(0, 32)[None, :]) % 7
    scale = tl.full([32, 1], 127, tl.uint8)
    f = wide.to(tl.float32).to(tl.float8e4nv)
    s = tl.dot_scaled(f, scale, "e4m3", f, scale, "e4m3")
    tl.store(out + tl.arange(0, 16), (tl.sum(r, 1) + tl.sum(s)).to(tl.int32))


@triton.jit
def assembler(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    v = tl.inline_asm_elementwise("add.s32 $0, $1, 5;", "=r,r", [tl.load(x + i)], dtype=tl.int32, is_pure=True, pack=1)
    tl.store(out + i, v)


KERNELS = [integers, unsigned, floats, narrow_floats, shapes, control, returns_early, memory, reports, block_pointers,
           descriptors, products, assembler]


def arguments():
    generator = torch.Generator().manual_seed(11)
    x = torch.randint(1, 30, (N,), generator=generator, dtype=torch.int32)
    y = torch.randint(1, 30, (N,), generator=generator, dtype=torch.int32)
    return x, y, torch.zeros(N, dtype=torch.int32)
