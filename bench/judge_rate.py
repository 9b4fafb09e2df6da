# SPDX-License-Identifier: Apache-2.0
"""How fast the judge is on this machine: candidates per second, first verdict after a cold start, kernels compiled per
second, and where the time goes.  usage: bench/judge_rate.py [KGBENCH] [--lanes N] [--repeat N]

Candidates are the experts of the demo suite, smoke workloads, without cross-compilation; each copy differs in a comment,
so that no cache of ours can know it. Beside it: one fresh process per candidate, as a user without the stream would
call it.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def demo_operators(kgbench):
    listed = json.loads(subprocess.run([kgbench, "list", "--suite", "demo", "--json"], check=True, capture_output=True,
                                       text=True).stdout)
    return [row["name"] for row in (listed["operators"] if isinstance(listed, dict) else listed)]


def expert(op):
    source, name = op.split("::")
    return (ROOT / "catalogue" / "operators" / source / name / "expert.py").read_text()


def stream(kgbench, requests, lanes):
    """(seconds until the first result, seconds for all, results)."""
    start = time.perf_counter()
    process = subprocess.Popen([kgbench, "judge", "--stream", "-j", str(lanes), "--target", "none", "--tier", "smoke"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    text = "".join(json.dumps(r) + "\n" for r in requests)
    threading.Thread(target=lambda: (process.stdin.write(text), process.stdin.close()), daemon=True).start()
    first, results = None, []
    for line in process.stdout:
        first = first or time.perf_counter() - start
        results.append((time.perf_counter() - start, json.loads(line)))
    process.wait()
    return first, results


def compile_rate(kgbench, lanes):
    """Kernels compiled per second for one target each, from an empty cache."""
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as out:
        env = dict(os.environ, KGBENCH_CACHE=cache)
        subprocess.run([kgbench, "run", "--contestant", "experts", "--suite", "vllm", "--tier", "smoke", "-j", str(lanes),
                        "--target", "sm_90", "--out", out + "/run"], check=True, capture_output=True, env=env)
        report = json.loads(subprocess.run([kgbench, "report", out + "/run", "--format", "json"], check=True,
                                           capture_output=True, text=True).stdout)
    kernels = sum(t["kernels"] for e in report["evaluations"] for t in e["targets"])
    seconds = sum(e["stage_ms"].get("compile", 0) for e in report["evaluations"]) / 1e3
    return kernels, kernels / (seconds / lanes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgbench", nargs="?", default=str(ROOT / "kgbench"))
    parser.add_argument("--lanes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    ops = demo_operators(options.kgbench)
    requests = [{"id": f"{op}/{i}", "op": op, "source": f"{expert(op)}\n# copy {i}\n"}
                for i in range(options.repeat) for op in ops]
    first, results = stream(options.kgbench, requests, options.lanes)
    failed = [r for _, r in results if r.get("verdict") != "pass"]
    # The first round fills the oracle's answers, as a batch of samples for the same operators would.
    warm = [(t, r) for t, r in results][len(ops):]
    span = warm[-1][0] - results[len(ops) - 1][0]
    stages = collections.Counter()
    for _, r in warm:
        for stage, ms in r["ms"].items():
            stages[stage] += ms
    print(f"candidates                 {len(results)} ({len(ops)} operators x {options.repeat}), {len(failed)} did not pass")
    print(f"first verdict, cold start  {first:.1f} s")
    print(f"candidates per second      {len(warm) / span:.2f} on {options.lanes} lanes (whole batch {len(results) / results[-1][0]:.2f})")
    total = stages.pop("total")
    for stage, ms in stages.most_common():
        print(f"  {stage:<10} {100 * ms / total:5.1f} %  {ms / len(warm):8.0f} ms per candidate")
    start = time.perf_counter()
    for op in ops[:4]:
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write(expert(op))
            file.flush()
            subprocess.run([options.kgbench, "judge", file.name, "--op", op, "--tier", "smoke", "--target", "none"],
                           capture_output=True, check=True)
    single = (time.perf_counter() - start) / 4
    print(f"a process per candidate    {single:.1f} s each, {single * len(warm) / span:.0f} times the stream's time per candidate")
    kernels, rate = compile_rate(options.kgbench, options.lanes)
    print(f"cross-compilation          {rate:.1f} kernels per second for sm_90 ({kernels} kernels, empty cache)")


if __name__ == "__main__":
    main()
