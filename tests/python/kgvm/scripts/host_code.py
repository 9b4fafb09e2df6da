# SPDX-License-Identifier: Apache-2.0
"""What host code for GPUs does besides launching: devices, moves, seeds, modules, threads, autocast, saving."""
import copy
import io
import threading

import torch

assert torch.cuda.is_available() and torch.cuda.device_count() == 1 and torch.cuda.current_device() == 0
assert torch.cuda.get_device_name() == "NVIDIA H200" and torch.cuda.get_device_capability("cuda") == (9, 0)
properties = torch.cuda.get_device_properties(torch.device("cuda", 0))
assert properties.multi_processor_count == 132 and properties.warp_size == 32
assert torch.cuda.mem_get_info()[1] == properties.total_memory
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.cuda.set_device(0)

# Where tensors say that they are.
host = torch.arange(4.0)
assert host.device.type == "cpu" and not host.is_cuda and host.is_cpu and host.get_device() == -1
for moved in (host.cuda(), host.to(device), host.to("cuda:0"), host.to(device=device, dtype=torch.float32), host.to(0),
              torch.as_tensor(host, device="cuda"), torch.tensor([0., 1, 2, 3], device=device),
              torch.from_numpy(host.numpy()).cuda(non_blocking=True), host.pin_memory().to("cuda")):
    assert moved.is_cuda and moved.device == torch.device("cuda", 0) and not moved.is_cpu
    moved += 1
assert host.tolist() == [0, 1, 2, 3], "a move to the device is a copy"
on = torch.zeros(3, device="cuda")
off = on.cpu()
off += 1
assert on.tolist() == [0, 0, 0] and off.device.type == "cpu"
assert (on + 1).is_cuda and on[1:].is_cuda and on.new_zeros(2).is_cuda and torch.ones_like(on).is_cuda
assert not (off * 2).is_cuda and not off[0].is_cuda and torch.ones_like(off, device=on.device).is_cuda
assert on.to(off).device.type == "cpu" and off.to(on).is_cuda and on.to(torch.float16).is_cuda
assert on.cuda() is on and on.type() == "torch.cuda.FloatTensor" and off.type() == "torch.FloatTensor"
assert isinstance(on, torch.cuda.FloatTensor)
for wrong in ("cuda:1", torch.device("cuda", 3)):
    try:
        torch.zeros(1, device=wrong)
        raise SystemExit("there is one device")
    except RuntimeError as error:
        assert "ordinal" in str(error)

# Seeds and generators.
torch.cuda.manual_seed(7)
first = torch.randn(3, device="cuda")
torch.cuda.manual_seed_all(7)
assert torch.equal(first, torch.randn(3, device="cuda"))
generator = torch.Generator(device="cuda").manual_seed(3)
assert isinstance(generator, torch.Generator)
torch.rand(3, device="cuda", generator=generator)

# Modules, autograd, autocast, optimizers.
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)).to(device)
assert all(p.is_cuda for p in model.parameters())
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
with torch.autocast("cuda", dtype=torch.bfloat16):
    loss = model(torch.randn(16, 4, device=device)).float().square().mean()
loss.backward()
optimizer.step()
assert next(model.parameters()).grad.is_cuda
scaler = torch.amp.GradScaler("cuda")
scaler.scale(model(torch.randn(2, 4, device=device)).sum()).backward()

# Default devices, copies, files, threads, repr.
with torch.device("cuda"):
    assert torch.empty(2).is_cuda
torch.set_default_device("cuda")
assert torch.ones(2).is_cuda and torch.get_default_device().type == "cuda"
torch.set_default_device("cpu")
assert not torch.ones(2).is_cuda
assert copy.deepcopy(on).is_cuda and on.clone().is_cuda and on.detach().is_cuda
file = io.BytesIO()
torch.save({"on": on}, file)
file.seek(0)
assert torch.load(file, map_location="cuda")["on"].is_cuda
answers = []
thread = threading.Thread(target=lambda: answers.append(torch.zeros(2, device="cuda").is_cuda))
thread.start()
thread.join()
assert answers == [True]
assert "tensor" in repr(on) and f"{on.sum().item():.1f}" == "0.0"
on.record_stream(torch.cuda.current_stream())
torch.cuda.empty_cache()
assert torch.cuda.max_memory_allocated() >= 0
assert torch.compile(lambda x: x + 1)(on).tolist() == [1, 1, 1]
assert isinstance(torch.cuda.current_stream(), torch.cuda.Stream)
try:
    torch.cuda.CUDAGraph()
    raise SystemExit("graphs are not mapped")
except RuntimeError as error:
    assert "run-triton-without-a-gpu.md" in str(error)
print("ok")
