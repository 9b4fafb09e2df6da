# SPDX-License-Identifier: Apache-2.0
"""What one launch costs under kgvm, beside Triton's interpreter.

    python bench/kgvm_launch.py [--bar 50]

A vector add of one program over 1,000 elements, after its first launch: nearly all of the time is Triton's dispatch and
kgvm's. Given is the least mean of many short rounds, in processor time and in wall time (a busy machine shows in the
second). Each way runs in a process of its own, since TRITON_INTERPRET=1 must be set before Triton is imported. Exit
status 4 if a launch on device tensors takes more processor time than the bar, in microseconds.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
WAYS = {"kgvm, device='cuda'": ("mapped", {}), "kgvm, CPU tensors, nothing mapped": ("plain", {}),
        "TRITON_INTERPRET=1": ("interpreter", {"TRITON_INTERPRET": "1"})}


def least(call, rounds, calls):
    """(processor, wall) microseconds per call."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        start = time.process_time_ns(), time.perf_counter_ns()
        for _ in range(calls):
            call()
        end = time.process_time_ns(), time.perf_counter_ns()
        best = [min(b, (e - s) / calls / 1000) for b, s, e in zip(best, start, end)]
    return best


def measure(way):
    import torch
    if way == "mapped":
        import kgbench.kgvm
        kgbench.kgvm.activate()
    import triton
    import triton.language as tl
    if way == "plain":
        from kgbench.kgvm.driver import KgvmDriver
        triton.runtime.driver.set_active(KgvmDriver())

    @triton.jit
    def add(x, y, out, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

    x, y, out = (torch.rand(1000, device="cuda" if way == "mapped" else "cpu") for _ in range(3))
    call = lambda: add[(1,)](x, y, out, 1000, BLOCK=1024)
    start = time.perf_counter()
    call()
    first = time.perf_counter() - start
    assert torch.equal(out, x + y)
    processor, wall = least(call, 20, 20 if way == "interpreter" else 500)
    return {"first_ms": first * 1000, "processor_us": processor, "wall_us": wall}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bar", type=float, default=50.0)
    parser.add_argument("--way", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way:
        print(json.dumps(measure(options.way)))
        return 0
    paths = os.pathsep.join([str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])])
    results = {}
    print(f"{'':36} {'first launch':>14} {'then, processor':>16} {'then, wall':>12}")
    for name, (way, environment) in WAYS.items():
        done = subprocess.run([sys.executable, __file__, "--way", way], stdout=subprocess.PIPE, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": paths, **environment})
        row = results[way] = json.loads(done.stdout)
        print(f"{name:36} {row['first_ms']:11.1f} ms {row['processor_us']:13.1f} us {row['wall_us']:9.1f} us", flush=True)
    ratio = results["interpreter"]["processor_us"] / results["mapped"]["processor_us"]
    print(f"a launch under kgvm costs 1/{ratio:.0f} of one under the interpreter")
    return 0 if results["mapped"]["processor_us"] <= options.bar else 4


if __name__ == "__main__":
    sys.exit(main())
