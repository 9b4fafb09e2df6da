# SPDX-License-Identifier: Apache-2.0
"""Host code that asks a lot about the device and branches on it."""
import torch
import triton
import triton.language as tl


def is_hopper():
    return torch.cuda.get_device_capability()[0] >= 9 and torch.version.hip is None


assert torch.cuda.is_available() and torch.cuda.device_count() == 1
PROPS = torch.cuda.get_device_properties("cuda")
BF16 = torch.cuda.is_bf16_supported()


@triton.jit
def fill_kernel(o, n, v, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, v, mask=i < n)


def fill(x, value):
    with torch.cuda.device(x.device), torch.cuda.device_of(x):
        assert torch.cuda.current_device() == x.get_device() == 0
        assert x.type() == "torch.cuda.FloatTensor" and isinstance(x, torch.Tensor)
        o = torch.empty(x.shape, dtype=torch.float32, device=torch.device("cuda", torch.cuda.current_device()))
        programs = min(PROPS.multi_processor_count * (2 if is_hopper() else 1), triton.cdiv(x.numel(), 64))
        stream = torch.cuda.current_stream().cuda_stream
        assert isinstance(stream, int) and triton.runtime.driver.active.get_current_target().arch == 90
        fill_kernel[(programs,)](o, x.numel(), float(value), B=64)
        torch.cuda.synchronize()
    return o
