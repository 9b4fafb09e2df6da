# SPDX-License-Identifier: Apache-2.0
"""One cast-and-add kernel over many dtypes, device-made descriptors, tl.device_print, a raw address as an argument."""
import torch
import triton
import triton.language as tl


@triton.jit
def widen_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0)
    tl.store(out_ptr + i, (x + x).to(tl.float32), mask=i < n)


@triton.jit
def cast_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n).to(out_ptr.dtype.element_ty), mask=i < n)


@triton.jit
def tile_kernel(x_ptr, out_ptr, m, n, B: tl.constexpr):
    source = tl.make_tensor_descriptor(x_ptr, shape=[m, n], strides=[n, 1], block_shape=[B, B])
    target = tl.make_tensor_descriptor(out_ptr, shape=[m, n], strides=[n, 1], block_shape=[B, B])
    row, column = tl.program_id(0) * B, tl.program_id(1) * B
    target.store([row, column], source.load([row, column]) + 1)


@triton.jit
def address_kernel(address: tl.int64, out_ptr, count: tl.constexpr):
    i = tl.arange(0, count)
    tl.store(out_ptr + i, tl.load(address.to(tl.pointer_type(tl.int32)) + i))
    tl.device_print("program", tl.program_id(0))


n = 100
for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64):
    x = (torch.arange(n, device="cuda") % 60).to(dtype)
    out = torch.empty(n, device="cuda")
    widen_kernel[(1,)](x, out, n, BLOCK=128)
    assert torch.equal(out, (x + x).float()), dtype

x = torch.linspace(-4, 4, n, device="cuda")
for dtype in (torch.float8_e4m3fn, torch.float8_e5m2, torch.bfloat16, torch.float16):
    out = torch.empty(n, device="cuda", dtype=dtype)
    cast_kernel[(1,)](x, out, n, BLOCK=128)
    assert torch.equal(out.float(), x.to(dtype).float()), dtype
bits = torch.arange(n, device="cuda", dtype=torch.int8)
out = torch.empty(n, device="cuda")
cast_kernel[(1,)](triton.reinterpret(bits, tl.float8e4nv), out, n, BLOCK=128)
assert torch.equal(out, bits.view(torch.float8_e4m3fn).float())

triton.set_allocator(lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8))
x = torch.rand(70, 64, device="cuda")
out = torch.empty_like(x)
tile_kernel[(3, 2)](x, out, 70, 64, B=32)
assert torch.equal(out, x + 1)

x = torch.arange(16, device="cuda", dtype=torch.int32)
out = torch.empty_like(x)
address_kernel[(1,)](x.data_ptr(), out, count=16)
assert torch.equal(out, x)
print("ok")
