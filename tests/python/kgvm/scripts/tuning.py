# SPDX-License-Identifier: Apache-2.0
"""Autotuning with reset_to_zero, restore_value and hooks, heuristics, launch hooks, several signatures."""
import torch
import triton
import triton.language as tl

log = []


@triton.autotune(configs=[triton.Config({"BLOCK": b}, num_warps=1) for b in (128, 256, 512)], key=["n"],
                 reset_to_zero=["out_ptr"])
@triton.jit
def sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n, other=0.0)))


@triton.autotune(configs=[triton.Config({"BLOCK": b}, pre_hook=lambda args: log.append(args["BLOCK"])) for b in (64, 32)],
                 key=["n"], restore_value=["x_ptr"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def double_kernel(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x_ptr + i, 2 * tl.load(x_ptr + i))
    else:
        tl.store(x_ptr + i, 2 * tl.load(x_ptr + i, mask=i < n), mask=i < n)


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (16, 1024)], key=["n"], warmup=1, rep=1,
                 prune_configs_by={"early_config_prune": lambda configs, args, **kw: configs[1:]})
@triton.jit
def fill_kernel(x_ptr, n, value, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.zeros([BLOCK], tl.float32) + value, mask=i < n)


n = 1000
x = torch.ones(n, device="cuda")
out = torch.zeros(1, device="cuda")
sum_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, n)
assert out.item() == n, out

double_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n)
assert x.tolist() == [2.0] * n
assert log[-1] == 64 and double_kernel.best_config.kwargs == {"BLOCK": 64}

fill_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n, 3.5)
assert x.tolist() == [3.5] * n

seen = []
triton.knobs.runtime.launch_enter_hook.add(lambda metadata: seen.append(metadata.get()["name"]))
fill_kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n, 4.5)
assert seen == ["fill_kernel"], seen
compiled = sum_kernel.fn.warmup(x, out, n, BLOCK=128, grid=(1,))
assert "tt.func" in (compiled.asm["ttir"].decode()) and compiled.metadata.num_warps == 4
assert len(compiled.asm["ptx"]) > 0
sum_kernel.fn[(0,)](x, out, n, BLOCK=128)  # an empty grid launches nothing
assert out.item() == n
print("ok", log)
