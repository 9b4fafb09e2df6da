# SPDX-License-Identifier: Apache-2.0
"""Times kernels on the virtual machine and on Triton's own interpreter, and prints the ratios.

    python bench/vm_vs_interpreter.py [--bar 300] [--only NAME ...]

The interpreter runs in a process of its own (TRITON_INTERPRET=1 must be set before triton is imported). It needs
about a millisecond per program instance, so it runs two small parts of the grid; the difference gives the time per
program, without the cost of a launch, and that is scaled to the whole grid. bf16 is left out: the interpreter
computes it wrongly. Exit status 1 if the median ratio (machine on one thread) is below the bar.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python" / "vm"))


def cases(torch, kernels):
    """name -> (kernel, grid, positional arguments, keyword arguments)"""
    f = torch.randn
    found = {}
    for block in (256, 1024, 4096):
        n = 1 << 20
        found[f"add 1M, {block}"] = (kernels.add, (n // block,), (f(n), f(n), torch.empty(n), n), {"BLOCK": block})
    for columns in (1024, 4096):
        x = f(4096, columns)
        found[f"softmax 4096 x {columns}"] = (kernels.softmax, (4096,), (x, torch.empty_like(x), columns, columns),
                                              {"BLOCK": columns})
    x = f(4096, 1024)
    found["layer_norm 4096 x 1024"] = (kernels.layer_norm, (4096,),
                                       (x, torch.empty_like(x), f(1024), f(1024), 1024, 1024, 1e-5), {"BLOCK": 1024})
    n = 256
    found["matmul f32 256"] = (kernels.matmul, (16,), (f(n, n), f(n, n), torch.empty(n, n), n, n, n, n, 1, n, 1, n, 1),
                               {"BM": 64, "BN": 64, "BK": 32, "GROUP": 8, "PRECISION": "ieee"})
    q, k, v = f(16, 512, 64), f(16, 512, 64), f(16, 512, 64)
    found["attention f32 16 x 512 x 64"] = (kernels.attention, (8, 16), (q, k, v, torch.empty_like(q), 0.125, 512, 512 * 64),
                                            {"BM": 64, "BN": 32, "D": 64, "CAUSAL": False})
    x = f(256, 2048)
    found["cumsum 256 x 2048"] = (kernels.cumsum, (256,), (x, torch.empty_like(x)), {"BLOCK": 2048, "REVERSE": False})
    found["argmax 256 x 2048"] = (kernels.argmax, (256,), (x, torch.empty(256, dtype=torch.int32), 2048), {"BLOCK": 2048})
    n = 1 << 20
    indices = torch.randint(0, 1024, (n,), dtype=torch.int32)
    found["atomic histogram 1M"] = (kernels.atomic_histogram, (1024,), (indices, torch.zeros(1024, dtype=torch.int32), n),
                                    {"BLOCK": 1024})
    found["dropout 1M, 1024"] = (kernels.dropout, (1024,), (f(n), torch.empty(n), n, 0.5, 7), {"BLOCK": 1024})
    return found


def programs_of(grid):
    count = 1
    for extent in grid:
        count *= extent
    return count


def accept_new_numpy():
    """numpy 2.4 refuses int() of a one-element array, which the interpreter uses for loop bounds and indices."""
    from triton.runtime import interpreter
    original = interpreter._patch_lang_tensor

    def patched(tensor, scope):
        original(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = patched


def launch_time(kernel, programs, args, options):
    start = time.perf_counter()
    kernel[(programs,)](*args, **options)
    return time.perf_counter() - start


def interpret(only):
    """Prints {name: milliseconds per program} as JSON; runs with TRITON_INTERPRET=1."""
    import kernels
    import torch
    accept_new_numpy()
    torch.manual_seed(1)
    found = {}
    for name, (kernel, grid, args, options) in cases(torch, kernels).items():
        if only and name not in only:
            continue
        launch_time(kernel, 1, args, options)
        few, more = 2, min(grid[0], 10)
        low = min(launch_time(kernel, few, args, options) for _ in range(3))
        high = min(launch_time(kernel, more, args, options) for _ in range(3))
        found[name] = (high - low) / (more - few) * 1e3
    print(json.dumps(found))


def machine(threads, only):
    """{name: milliseconds for the whole grid} on the virtual machine, parsing excluded."""
    import kernels
    import torch
    import vmlaunch
    torch.manual_seed(1)
    found = {}
    for name, (kernel, grid, args, options) in cases(torch, kernels).items():
        if only and name not in only:
            continue
        times = []
        for _ in range(9):
            result = vmlaunch.launch(kernel, grid, *args, vm_options={"threads": threads}, **options)
            if result["findings"]:
                sys.exit(f"{name}: the machine reports {result['findings'][0]['message']}")
            times.append(result["seconds"] * 1e3)
        found[name] = statistics.median(times)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bar", type=float, default=300.0, help="smallest acceptable median ratio")
    parser.add_argument("--only", nargs="*", help="names of kernels to run")
    parser.add_argument("--interpret", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.interpret:
        return interpret(options.only)
    child = [sys.executable, __file__, "--interpret"] + (["--only", *options.only] if options.only else [])
    answer = subprocess.run(child, env=os.environ | {"TRITON_INTERPRET": "1"}, stdout=subprocess.PIPE, check=True)
    per_program = json.loads(answer.stdout)

    import kernels
    import torch
    import vmlaunch
    vmlaunch.install()
    grids = {name: case[1] for name, case in cases(torch, kernels).items()}
    threads = len(os.sched_getaffinity(0))
    one, many = machine(1, options.only), machine(threads, options.only)
    print(f"{'kernel':28} {'programs':>8} {'VM 1 thread ms':>15} {f'VM {threads} threads ms':>16} {'interpreter ms':>15} {'ratio':>8}")
    ratios = []
    for name, milliseconds in one.items():
        programs = programs_of(grids[name])
        interpreter = per_program[name] * programs
        ratios.append(interpreter / milliseconds)
        print(f"{name:28} {programs:8} {milliseconds:15.3f} {many[name]:16.3f} {interpreter:15.1f} {ratios[-1]:8.0f}")
    median = statistics.median(ratios)
    print(f"median ratio, machine on one thread: {median:.0f} (bar {options.bar:.0f})")
    print("interpreter: time per program from two parts of the grid, scaled to all programs")
    return 0 if median >= options.bar else 1


if __name__ == "__main__":
    sys.exit(main())
