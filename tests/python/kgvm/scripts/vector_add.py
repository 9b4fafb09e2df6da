# SPDX-License-Identifier: Apache-2.0
"""Adds two vectors, with the checks that host code for GPUs likes to make."""
import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    start = tl.program_id(0) * BLOCK
    offsets = start + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, x + y, mask=inside)


def add(x, y):
    assert x.is_cuda and y.device.type == "cuda", "give me device tensors"
    assert x.device == torch.device("cuda", 0) and x.get_device() == 0
    out = torch.empty_like(x)
    assert out.is_cuda
    n = out.numel()
    with torch.cuda.device(x.device):
        add_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n, BLOCK=1024, num_warps=4)
    return out


assert torch.cuda.is_available()
assert torch.cuda.get_device_capability() >= (8, 0)
torch.manual_seed(0)
x = torch.rand(98432, device=DEVICE)
y = torch.rand(98432, device="cuda:0")
result = add(x, y)
torch.cuda.synchronize()
assert torch.equal(result, x + y)
a = torch.ones(7).cuda()
assert add(a, a).cpu().tolist() == [2.0] * 7
print("ok", result.device)
