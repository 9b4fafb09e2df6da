# SPDX-License-Identifier: Apache-2.0
"""In-place doubling, tuned with restore_value and pruned configurations, one of which cannot compile."""
import triton
import triton.language as tl


def _prune(configs, named_args, **kwargs):
    return [c for c in configs if c.kwargs["B"] <= 1024]


@triton.autotune(
    configs=[triton.Config({"B": 96}), triton.Config({"B": 256}), triton.Config({"B": 1024}),
             triton.Config({"B": 4096})],
    key=["n"], restore_value=["x"], prune_configs_by={"early_config_prune": _prune})
@triton.jit
def double_kernel(x, n, B: tl.constexpr):
    tl.static_assert(B % 128 == 0)
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n) * 2, mask=i < n)


def double_(x):
    double_kernel[lambda m: (triton.cdiv(x.numel(), m["B"]),)](x, x.numel())
    return x
