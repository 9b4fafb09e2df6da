# SPDX-License-Identifier: Apache-2.0
"""Times kernels on the virtual machine with bounds checks alone and with the full sanitizer, and prints the ratios.

    python bench/sanitizer_cost.py [--bar 2] [--repeat 5] [--only NAME ...]

The full sanitizer is one run with races, uninitialised reads, 32-bit overflow and waits; its shadow memory is made
anew in every run, which a trial of several launches does once. Runs in other program orders are as many further runs
and not counted. Both sides run on one thread; a time is the smallest of the repeats. The output of each kernel begins
uninitialised. Exit status 4 if the median ratio is above the bar.
"""
import argparse
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python" / "vm"))
sys.path.insert(0, str(ROOT / "bench" / "vm"))

CHECKS = "races,uninitialised,overflow,waits"


NAMES = ["add 1M, 256", "add 1M, 1024", "add 1M, 4096", "softmax 4096 x 1024", "softmax 4096 x 4096", "layer norm 4096 x 1024",
         "rms norm 4096 x 4096", "matmul f32 256", "attention f32 16 x 512 x 64", "cumsum 256 x 2048", "argmax 256 x 2048",
         "gather 1M, 1024", "histogram 1M, 1024 bins", "dropout 1M"]


def undefined_tensors(torch, name, args):
    """Numbers of the float tensors that come uninitialised: the last one of a case, where that is its output."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    is_output = not name.startswith(("layer norm", "cumsum")) and tensors[-1].dtype == torch.float32
    return [len(tensors) - 1] if is_output else []


def measure(launch, case, repeat, undefined):
    best = {}
    for name, vm_options in (("bounds", {}), ("full", {"sanitize": CHECKS, "undefined": undefined})):
        for _ in range(repeat):
            result = launch(case.kernel, case.grid, *case.args, vm_options=vm_options, **case.options)
            if result["findings"]:
                raise SystemExit(f"a finding in a good kernel: {result['findings'][0]['message']}")
            best[name] = min(best.get(name, result["seconds"]), result["seconds"])
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bar", type=float, default=2.0)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()

    import torch
    from speed_cases import CASES
    import vmlaunch
    vmlaunch.install()
    ratios = []
    print(f"{'kernel':32}{'bounds ms':>11}{'full ms':>11}{'ratio':>8}")
    for name in NAMES:
        if options.only and not any(word in name for word in options.only):
            continue
        torch.manual_seed(1)
        case = CASES[name]()
        best = measure(vmlaunch.launch, case, options.repeat, undefined_tensors(torch, name, case.args))
        ratios.append(best["full"] / best["bounds"])
        print(f"{name:32}{1e3 * best['bounds']:11.3f}{1e3 * best['full']:11.3f}{ratios[-1]:8.2f}")
    if not ratios:
        raise SystemExit("no case has such a name")
    median = statistics.median(ratios)
    print(f"{'median':54}{median:8.2f}")
    sys.exit(4 if median > options.bar else 0)


if __name__ == "__main__":
    main()
