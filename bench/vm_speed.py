# SPDX-License-Identifier: Apache-2.0
"""Times kernels on the virtual machine, on Triton's own interpreter and in torch eager; says which bars are met.

    python bench/vm_speed.py [--only WORD ...] [--no-interpreter] [--threads N] [--seconds 0.4] [--markdown] [--processor-time]

All times are of one processor unless a column says otherwise, bounds checks on, compilation and parsing excluded: the
median of the launches that fit into --seconds, at least five. torch runs the same operator eagerly on one thread. f32
products are held against OpenBLAS (numpy) on one thread. The interpreter runs in a process of its own
(TRITON_INTERPRET=1 must be set before triton is imported) on few program instances, and its time per program is scaled
to the grid: one program if that takes longer than 0.3 s, else the difference between few and one. It computes bf16
wrongly, so bf16 is left out there. "bound" is what the machine itself gives: two processes, each on a processor of its
own and sharing nothing, run the same kernel on one thread, and their rate together is compared with one's alone; no
program on two threads can be expected to gain more. --processor-time is for a machine that others use, too: every time
is the least processor time of the repeats, the machine's on several threads that of all of them divided by their number,
as if each had a processor. Exit status 4 if a bar is not met.
"""
import argparse
import json
import math
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench" / "vm"))

EMPTY_BAR_US = 0.15
MEDIAN_BAR, LEAST_BAR, ATOMIC_BAR = 1000, 100, 50  # times the interpreter
THREADS_BAR = 1.8
COMPUTE_BOUND = ("matmul f32", "attention", "sort", "gelu", "silu", "rand", "matmul bf16")


options = argparse.Namespace(processor_time=False)  # main() replaces them


def chosen(only):
    from speed_cases import CASES
    return [name for name in CASES if not only or any(word in name for word in only)]


def make(name):
    import torch
    from speed_cases import CASES
    torch.manual_seed(1)
    return CASES[name]()


def clock():
    return time.process_time() if options.processor_time else time.perf_counter()


def typical_ms(call, seconds):
    """`call` gives the seconds of one run."""
    call()
    times = []
    end = time.perf_counter() + seconds
    while len(times) < 5 or (time.perf_counter() < end and len(times) < 200):
        times.append(call())
    return 1e3 * (min(times) if options.processor_time else statistics.median(times))


def accept_new_numpy():
    """numpy 2.4 refuses int() of a one-element array, which the interpreter uses for loop bounds and indices."""
    from triton.runtime import interpreter
    original = interpreter._patch_lang_tensor

    def patched(tensor, scope):
        original(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = patched


def interpreter_ms(case):
    """Milliseconds per program."""
    def run(programs):
        start = clock()
        case.kernel[(programs,)](*case.args, **case.options)
        return clock() - start

    first = run(1)
    if first > 1.0:
        return 1e3 * first
    first = min(run(1), run(1))
    if first > 0.3 or case.grid[0] == 1:
        return 1e3 * first
    more = min(case.grid[0], 1 + max(2, int(0.3 / first)))
    return 1e3 * (min(run(more), run(more)) - first) / (more - 1)


def interpret(only):
    accept_new_numpy()
    found = {}
    for name in chosen(only):
        if "bf16" not in name:
            found[name] = interpreter_ms(make(name))
    print(json.dumps(found))


def machine_ms(case, threads, seconds):
    import vmlaunch

    def run():
        start = time.process_time()
        result = vmlaunch.launch(case.kernel, case.grid, *case.args, vm_options={"threads": threads}, **case.options)
        if result["findings"]:
            sys.exit(f"the machine reports {result['findings'][0]['message']}")
        if not options.processor_time:
            return result["seconds"]
        used = (time.process_time() - start) / threads
        return min(used, result["seconds"]) if threads == 1 else used  # a launch from Python costs, too

    return typical_ms(run, seconds)


def two_alone(case, alone_ms, seconds):
    """How often two processes that share nothing do the work of one in the same time; None: only one processor."""
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        return None
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.sched_setaffinity(0, {cpus[1]})
            machine_ms(case, 1, 0)
            os.write(tell, b"x")
            end = time.perf_counter() + 60
            while time.perf_counter() < end:
                machine_ms(case, 1, 1)
        finally:
            os._exit(0)
    os.close(tell)  # so that the child's end is seen when it ends before it told
    try:
        os.sched_setaffinity(0, {cpus[0]})
        if not os.read(ready, 1):
            sys.exit("the process beside it ended before it was ready: run the kernel alone to see why")
        beside_ms = machine_ms(case, 1, seconds)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.sched_setaffinity(0, cpus)
        os.close(ready)
    return 2 * alone_ms / beside_ms


def compute_bound(row):
    return row["vm"] > 2 and row["name"].startswith(COMPUTE_BOUND)


def eager_ms(call, seconds):
    def run():
        start = clock()
        call()
        return clock() - start

    return typical_ms(run, seconds)


def openblas_ms(case, seconds):
    import numpy
    a, b = (t.numpy() for t in case.args[:2])
    out = numpy.empty_like(a)
    return eager_ms(lambda: numpy.matmul(a, b, out=out), seconds)


def empty_us(seconds):
    """Time per program of a kernel that does nothing."""
    from speed_cases import Case
    from speed_kernels import empty
    programs = 1 << 16
    return 1e3 * machine_ms(Case(empty, (programs,), (7,), {}, None), 1, seconds) / programs


def measure(name, threads):
    case = make(name)
    row = {"name": name, "programs": math.prod(case.grid), "bar": case.bar, "atomic": case.atomic, "flops": case.flops}
    row["vm"] = machine_ms(case, 1, options.seconds)
    for count in {2, threads} - {1}:
        row[f"vm{count}"] = machine_ms(case, count, options.seconds)
    if compute_bound(row):
        row["bound"] = two_alone(case, row["vm"], options.seconds)
    row["torch"] = eager_ms(case.eager, options.seconds)
    if case.gemm:
        row["blas"] = openblas_ms(case, options.seconds)
    return row


def verdicts(row, blas_bar):
    """[(bar's name, met)] of one kernel."""
    found = []
    if row["bar"] is not None:
        found.append((f"{row['bar']:g}x torch", row["vm"] <= row["bar"] * row["torch"]))
    if "blas" in row and row["flops"] > 1e7:  # below, a launch is what is timed
        found.append((f"{blas_bar:g} of OpenBLAS", row["blas"] / row["vm"] >= blas_bar))
    if "interpreter" in row:
        least = ATOMIC_BAR if row["atomic"] else LEAST_BAR
        found.append((f"{least}x interpreter", row["interpreter"] >= least * row["vm"]))
    return found


def table(rows, threads, blas_bar):
    many = f"vm{threads}"
    more = [f"VM {threads}t ms"] * (threads > 2)
    yield ["kernel", "programs", "VM 1t ms", "VM 2t ms", *more, "2t gain", "bound", "torch 1t ms", "VM/torch",
           "VM/BLAS rate", "interpreter ms", "times", "bars"]
    for row in rows:
        missed = [name for name, met in verdicts(row, blas_bar) if not met]
        met = [name for name, good in verdicts(row, blas_bar) if good]
        yield [row["name"], str(row["programs"]), f"{row['vm']:.3f}", f"{row.get('vm2', row['vm']):.3f}",
               *[f"{row.get(many, row['vm']):.3f}"] * (threads > 2), f"{row['vm'] / row.get('vm2', row['vm']):.2f}",
               f"{row['bound']:.2f}" if row.get("bound") else "", f"{row['torch']:.3f}",
               f"{row['vm'] / row['torch']:.2f}", f"{row['blas'] / row['vm']:.2f}" if "blas" in row else "",
               f"{row['interpreter']:.0f}" if "interpreter" in row else "",
               f"{row['interpreter'] / row['vm']:.0f}" if "interpreter" in row else "",
               "; ".join([f"met: {', '.join(met)}"] * bool(met) + [f"NOT MET: {', '.join(missed)}"] * bool(missed))]


def print_table(lines, markdown):
    lines = list(lines)
    if markdown:
        for number, line in enumerate(lines):
            print("| " + " | ".join(line) + " |")
            if number == 0:
                print("|---|" + "---:|" * (len(line) - 2) + "---|")
        return
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]) - 1)]
    for line in lines:
        print(line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:-1], widths[1:])), line[-1], sep="  ")


def summary(rows, blas_bar):
    """(text, met) of the bars over all kernels."""
    ratios = [row["interpreter"] / row["vm"] for row in rows if "interpreter" in row]
    if ratios:
        median = statistics.median(ratios)
        yield f"median times the interpreter: {median:.0f} (bar {MEDIAN_BAR})", median >= MEDIAN_BAR
    gains = {row["name"]: row["vm"] / row["vm2"] for row in rows if "vm2" in row and compute_bound(row)}
    bounds = [row["bound"] for row in rows if row.get("bound")]
    if gains:
        least = min(gains, key=gains.get)
        yield (f"two threads against one, compute-bound kernels above 2 ms: median {statistics.median(gains.values()):.2f}, "
               f"least {gains[least]:.2f} ({least}); bar {THREADS_BAR}; two processes that share nothing: median "
               f"{statistics.median(bounds) if bounds else 1:.2f}"), statistics.median(gains.values()) >= THREADS_BAR
    if not options.only:
        empty = empty_us(options.seconds)
        yield f"an empty program: {empty:.3f} us (bar {EMPTY_BAR_US})", empty <= EMPTY_BAR_US
    each = [met for row in rows for _, met in verdicts(row, blas_bar)]
    yield f"bars of single kernels: {sum(each)} of {len(each)} met", all(each)


def processor():
    try:
        names = [line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
        flags = next(line for line in open("/proc/cpuinfo") if line.startswith("flags")).split()
    except (OSError, StopIteration):
        return platform.processor(), False
    kinds = [flag for flag in ("avx2", "avx512f", "avx512_bf16", "amx_bf16") if flag in flags]
    return f"{names[0]} ({', '.join(kinds)})", "avx512f" in flags


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[], help="words of kernels' names")
    parser.add_argument("--no-interpreter", action="store_true")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--processor-time", action="store_true")
    parser.add_argument("--interpret", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.interpret:
        return interpret(options.only)
    per_program = {}
    if not options.no_interpreter:
        child = [sys.executable, __file__, "--interpret", *["--processor-time"] * options.processor_time, "--only", *options.only]
        answer = subprocess.run(child, env=os.environ | {"TRITON_INTERPRET": "1"}, stdout=subprocess.PIPE, check=True)
        per_program = json.loads(answer.stdout)

    import torch
    torch.set_num_threads(1)
    from speed_cases import kernels  # noqa: F401  (puts vmlaunch on the path)
    import vmlaunch
    vmlaunch.install()
    name, wide = processor()
    blas_bar = 0.9 if wide else 0.8
    print(f"{name}; torch {torch.__version__}; {options.threads} threads")
    rows = []
    for case in chosen(options.only):
        rows.append(measure(case, options.threads))
        if case in per_program:
            rows[-1]["interpreter"] = per_program[case] * rows[-1]["programs"]
    print_table(table(rows, options.threads, blas_bar), options.markdown)
    good = True
    for text, met in summary(rows, blas_bar):
        print(f"{text}: {'met' if met else 'NOT MET'}")
        good = good and met
    return 0 if good else 4


if __name__ == "__main__":
    sys.exit(main())
