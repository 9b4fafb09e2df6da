# SPDX-License-Identifier: Apache-2.0
"""Measures what this machine's device reaches: `python -m kgbench.baseline.peaks BACKEND` prints
{"rates": {name: {"rate", "how"}}, "problem"}, rates in bytes/s and FLOP/s by the names of chip cards.

Bandwidth by the driver's copy and by our own reading kernel; products by torch.mm, which is cuBLAS. All on the clock
that times candidates, with cold caches (docs/timing.md), the best of several replays of a graph.
"""

import json
import sys

import torch

from kgbench import _kgbench
from kgbench.baseline.recorded import RecordedCall

SIDE = 8192
SAMPLES = 20
PRODUCTS = {  # name: dtype, precision of f32 products
    "bf16_dot": (torch.bfloat16, "highest"),
    "f16_dot": (torch.float16, "highest"),
    "tf32_dot": (torch.float32, "high"),
    "f32": (torch.float32, "highest"),
    "f64_dot": (torch.float64, "highest"),
}


def bandwidths(backend):
    """Rates of copying and reading; "bandwidth" is the larger."""
    copy, read = _kgbench.measure_bandwidth(backend)
    rates = {"copy": {"rate": copy, "how": "the driver's copy on the device"}, "read": {"rate": read, "how": "kgbench's reading kernel"}}
    return {**rates, "bandwidth": max(rates.values(), key=lambda row: row["rate"])}


def product(backend, dtype, precision):
    """FLOP/s of a square product of random values."""
    torch.set_float32_matmul_precision(precision)
    generator = torch.Generator(device="cuda").manual_seed(1)
    a, b = (torch.randn(SIDE, SIDE, device="cuda", dtype=torch.float32, generator=generator).to(dtype) for _ in range(2))
    out = torch.empty_like(a)
    recorded = RecordedCall(lambda: torch.mm(a, b, out=out))
    recorded.adopt(backend)
    return 2 * SIDE**3 / (1e-9 * min(recorded.samples(backend, SAMPLES)))


def measured(backend):
    """All rates, and what kept some from being measured."""
    rates, problems = {}, []
    try:
        rates = bandwidths(backend)
    except Exception as error:
        problems.append(f"bandwidth: {error}")
    if not torch.cuda.is_available():
        problems.append("products: torch has no CUDA device")
        return rates, problems
    how = f"torch.mm {SIDE}x{SIDE} (cuBLAS of torch {torch.__version__})"
    for name, (dtype, precision) in PRODUCTS.items():
        try:
            rates[name] = {"rate": product(backend, dtype, precision), "how": how}
        except Exception as error:
            problems.append(f"{name}: {str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__}")
    return rates, problems


if __name__ == "__main__":
    found, failed = measured(sys.argv[1])
    print(json.dumps({"rates": found, "problem": "; ".join(failed)}))
