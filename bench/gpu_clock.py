# SPDX-License-Identifier: Apache-2.0
"""How far the clocks of a GPU can be trusted: `make bench-gpu`, on a machine with an NVIDIA GPU.

For kernels from microseconds to milliseconds: the global timer's stamps (what the judge uses), hardware activity records
(CUPTI) and, beside them, what a user would pick: events around a replay, triton.testing.do_bench and
do_bench_cudagraph, and ncu where it can read counters. Then the same kernel in fresh processes, a kernel against itself,
and a planted slowdown of 2 %. Cold caches everywhere but in do_bench_cudagraph.
"""

import argparse
import csv
import glob
import io
import json
import math
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

import torch
import triton
import triton.language as tl
from triton.testing import do_bench, do_bench_cudagraph

from kgbench import _kgbench

BACKEND = "cuda"


@triton.jit
def relu_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.maximum(tl.load(x + i, mask=i < n), 0.0), mask=i < n)


def relu(n):
    x, y = torch.randn(n, device="cuda"), torch.empty(n, device="cuda")
    return lambda: relu_kernel[(triton.cdiv(n, 1024),)](x, y, n, 1024)


def softmax(rows, columns):
    x = torch.randn(rows, columns, device="cuda")
    return lambda: torch.softmax(x, 1)


def matmul(n, dtype=torch.bfloat16):
    a, b = torch.randn(n, n, device="cuda", dtype=dtype), torch.randn(n, n, device="cuda", dtype=dtype)
    out = torch.empty(n, n, device="cuda", dtype=dtype)
    return lambda: torch.mm(a, b, out=out)


def total(n):
    x = torch.randn(n, device="cuda")
    return lambda: torch.sum(x)


def sort(n):
    x = torch.randn(n, device="cuda")
    return lambda: torch.sort(x)


def norm(rows, columns):
    x = torch.randn(rows, columns, device="cuda")
    return lambda: torch.nn.functional.layer_norm(x, (columns,))


KERNELS = {"relu 1K": lambda: relu(1 << 10), "relu 16K": lambda: relu(1 << 14), "relu 256K": lambda: relu(1 << 18),
           "relu 1M": lambda: relu(1 << 20), "relu 4M": lambda: relu(1 << 22), "relu 16M": lambda: relu(1 << 24),
           "relu 64M": lambda: relu(1 << 26), "softmax 1024x1024": lambda: softmax(1024, 1024),
           "softmax 8192x8192": lambda: softmax(8192, 8192), "layer norm 4096x4096": lambda: norm(4096, 4096),
           "sum 16M": lambda: total(1 << 24), "mm 512": lambda: matmul(512), "mm 2048": lambda: matmul(2048),
           "mm 8192": lambda: matmul(8192), "sort 1M": lambda: sort(1 << 20)}


def graph_of(call):
    """The call as a graph, and what must stay alive as long as it: the call with its tensors, and its result."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph, stream=stream):
        kept = call()
    torch.cuda.synchronize()
    return graph, (call, kept)


def samples(graph, n, by_activity=False):
    _kgbench.adopt_graph(BACKEND, graph.raw_cuda_graph())
    return [1e-3 * ns for ns in _kgbench.time_graph(BACKEND, n, by_activity)]


def events(graph, n=50):
    """Events around a replay, after a write of twice the L2 cache: what most harnesses do."""
    flush = torch.empty(2 * torch.cuda.get_device_properties(0).L2_cache_size, dtype=torch.int8, device="cuda")
    out = []
    for _ in range(n):
        flush.zero_()
        first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        first.record()
        graph.replay()
        last.record()
        last.synchronize()
        out.append(1e3 * first.elapsed_time(last))
    return statistics.median(out)


def interval(values, confidence=0.95):
    """Order statistics around the median that cover it with the confidence; as src/stats/order.cpp."""
    values, n = sorted(values), len(values)
    tail, k = 0.0, 0
    while tail + math.comb(n, k) / 2 ** n <= (1 - confidence) / 2:
        tail += math.comb(n, k) / 2 ** n
        k += 1
    return values[k - 1], values[n - k]


def ratio_interval(base, other, turns=25, burst=10):
    """The interval of base/other from turns of both."""
    ratios = []
    for turn in range(turns):
        order = (base, other) if turn % 2 else (other, base)
        got = {id(g): statistics.median(samples(g, burst)) for g in order}
        ratios.append(got[id(base)] / got[id(other)])
    return interval(ratios)


def clocks():
    """Stamps alone first, for all kernels; then stamps and activity records in turns over one graph."""
    rows = {}
    for name, make in KERNELS.items():
        call = make()
        graph, kept = graph_of(call)
        runs = [statistics.median(samples(graph, 31)) for _ in range(10)]
        with torch.cuda.stream(torch.cuda.Stream()):
            warm = 1e3 * do_bench_cudagraph(call, rep=10)
        rows[name] = {"stamps": statistics.median(runs),
                      "spread_percent": 100 * (max(runs) - min(runs)) / statistics.median(runs), "events": events(graph),
                      "do_bench": 1e3 * do_bench(call, warmup=5, rep=20, return_mode="median"), "do_bench_cudagraph": warm}
        del graph, kept, call
        torch.cuda.empty_cache()
    for name, make in KERNELS.items():
        graph, _kept = graph_of(make())
        turns = [(statistics.median(samples(graph, 31)), statistics.median(samples(graph, 31, True))) for _ in range(5)]
        rows[name]["beside"], rows[name]["activity"] = (statistics.median(side) for side in zip(*turns))
    print(f"{'kernel':<22} {'stamps':>9} {'10 runs':>8} {'in turns':>9} {'activity':>9} {'differ':>15} {'events':>8} "
          f"{'do_bench':>9} {'cudagraph':>9}   us")
    for name, row in rows.items():
        difference = row["beside"] - row["activity"]
        print(f"{name:<22} {row['stamps']:>9.2f} {row['spread_percent']:>7.2f}% {row['beside']:>9.2f} {row['activity']:>9.2f} "
              f"{difference:>+7.2f} {100 * difference / row['activity']:>+6.1f}% {row['events']:>8.2f} "
              f"{row['do_bench']:>9.2f} {row['do_bench_cudagraph']:>9.2f}")
    return rows


def against_itself(name, repeats):
    """Two graphs of one call, on the same tensors: where these lie is part of the time (see elsewhere())."""
    call = KERNELS[name]()
    (first, _a), (second, _b) = graph_of(call), graph_of(call)
    held = [ratio_interval(first, second) for _ in range(repeats)]
    inside = sum(low <= 1 <= high for low, high in held)
    width = statistics.median(high - low for low, high in held)
    print(f"{name} against itself: the 95 % interval holds 1.00 in {inside} of {repeats}; median width {100 * width:.2f} %")
    return {"inside": inside, "of": repeats, "width": width}


def elsewhere(name, places=6):
    """The same kernel on tensors of other allocations, as ratios to the first."""
    kept = [graph_of(KERNELS[name]()) for _ in range(places)]
    ratios = [ratio_interval(graph, kept[0][0]) for graph, _ in kept[1:]]
    print(f"{name} on other memory: " + ", ".join(f"{low:.4f} to {high:.4f}" for low, high in ratios))
    return ratios


def planted(n, repeats):
    base, _a = graph_of(relu(n))
    slower, _b = graph_of(relu(int(n * 1.02)))
    held = [ratio_interval(base, slower) for _ in range(repeats)]
    seen = sum(high < 1 for _, high in held)
    print(f"relu {n >> 20}M with 2 % more elements: called slower in {seen} of {repeats}")
    return {"seen": seen, "of": repeats}


def fresh_processes(name, processes):
    command = [sys.executable, __file__, "--one", name]
    got = [float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])
           for _ in range(processes)]
    deviation = 100 * statistics.stdev(got) / statistics.mean(got)
    print(f"{name} in {processes} fresh processes: {statistics.mean(got):.2f} us, coefficient of variation {deviation:.2f} %")
    return {"us": got, "cv_percent": deviation}


def by_ncu(names):
    """Medians of gpu__time_duration, caches flushed clean before each launch; None where ncu cannot read counters."""
    tool = shutil.which("ncu")
    if tool is None:
        print("ncu: not installed, left out")
        return None
    out = {}
    for name in names:
        done = subprocess.run([tool, "--cache-control", "all", "--clock-control", "none", "--metrics",
                               "gpu__time_duration.sum", "--csv", "--launch-skip", "5", "--launch-count", "20",
                               "-k", "relu_kernel", sys.executable, __file__, "--plain", name], capture_output=True, text=True)
        rows = [row for row in csv.reader(io.StringIO(done.stdout)) if len(row) > 5 and "gpu__time_duration" in row[-3]]
        if not rows:
            print("ncu: cannot read counters here, left out:", (done.stdout + done.stderr).strip().splitlines()[-1:])
            return None
        scale = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3}[rows[0][-2]]
        out[name] = statistics.median(float(row[-1].replace(",", "")) * scale for row in rows)
        print(f"ncu {name:<18} {out[name]:.2f} us")
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--one", help="measure one kernel and print its median")
    parser.add_argument("--plain", help="launch one kernel some times, for ncu")
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--json", help="write the numbers to this file")
    options = parser.parse_args()
    if options.one:
        graph, _kept = graph_of(KERNELS[options.one]())
        print(statistics.median(samples(graph, 201)))
        return
    if options.plain:
        call = KERNELS[options.plain]()
        for _ in range(30):
            call()
        torch.cuda.synchronize()
        return
    properties = torch.cuda.get_device_properties(0)
    print(f"{properties.name}, torch {torch.__version__}, triton {triton.__version__}")
    found = {"device": properties.name}
    found["itself"] = {name: against_itself(name, options.repeats) for name in ("relu 16M", "mm 2048")}
    found["elsewhere"] = elsewhere("relu 16M")
    found["planted"] = planted(1 << 24, options.repeats)
    found["clocks"] = clocks()
    found["fresh"] = {name: fresh_processes(name, options.processes) for name in ("relu 16K", "relu 16M")}
    found["ncu"] = by_ncu(["relu 16K", "relu 1M", "relu 4M", "relu 16M", "relu 64M"])
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    if "KGBENCH_CUPTI_LIBRARY" not in os.environ:
        bundled = glob.glob(os.path.join(os.path.dirname(torch.__file__), "..", "nvidia", "*", "lib", "libcupti.so*"))
        if bundled:
            os.environ["KGBENCH_CUPTI_LIBRARY"] = os.path.realpath(bundled[0])
    main()
