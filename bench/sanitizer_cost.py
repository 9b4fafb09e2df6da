# SPDX-License-Identifier: Apache-2.0
"""Times kernels on the virtual machine with bounds checks alone and with the full sanitizer, and prints the ratios.

    python bench/sanitizer_cost.py [--bar 2] [--repeat 5] [--only NAME ...]

The full sanitizer is one run with races, uninitialised reads, 32-bit overflow and waits; its shadow memory is made
anew in every run, which a trial of several launches does once. Runs in other program orders are as many further runs
and not counted. Both sides run on one thread; a time is the smallest of the repeats. The output of each kernel begins
uninitialised. Exit status 1 if the median ratio is above the bar.
"""
import argparse
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python" / "vm"))
sys.path.insert(0, str(ROOT / "bench"))

CHECKS = "races,uninitialised,overflow,waits"


def undefined_tensors(torch, args):
    """Numbers of the float tensors that come uninitialised: the last one of each case is its output."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    return [len(tensors) - 1] if tensors[-1].dtype == torch.float32 else []


def measure(launch, case, repeat, undefined):
    kernel, grid, args, options = case
    best = {}
    for name, vm_options in (("bounds", {}), ("full", {"sanitize": CHECKS, "undefined": undefined})):
        for _ in range(repeat):
            result = launch(kernel, grid, *args, vm_options=vm_options, **options)
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
    import kernels
    import vmlaunch
    from vm_vs_interpreter import cases
    vmlaunch.install()
    torch.manual_seed(1)
    ratios = []
    print(f"{'kernel':32}{'bounds ms':>11}{'full ms':>11}{'ratio':>8}")
    for name, case in cases(torch, kernels).items():
        if options.only and not any(word in name for word in options.only):
            continue
        outputs = [] if "layer_norm" in name or "cumsum" in name else undefined_tensors(torch, case[2])
        best = measure(vmlaunch.launch, case, options.repeat, outputs)
        ratios.append(best["full"] / best["bounds"])
        print(f"{name:32}{1e3 * best['bounds']:11.3f}{1e3 * best['full']:11.3f}{ratios[-1]:8.2f}")
    if not ratios:
        raise SystemExit("no case has such a name")
    median = statistics.median(ratios)
    print(f"{'median':54}{median:8.2f}")
    sys.exit(median > options.bar)


if __name__ == "__main__":
    main()
