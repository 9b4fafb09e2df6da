# SPDX-License-Identifier: Apache-2.0
"""Times kernels on the virtual machine with and without its counters, and prints the ratios.

    python bench/count_cost.py [--repeat 5] [--only NAME ...]

Both sides check bounds and run on one thread; a time is the smallest processor time of a launch in the repeats, which
alternate. What a counted run allocates for its bitmaps, counts in them and frees again is in its time, and so is the
launcher's part of some tenths of a millisecond in both.
"""
import argparse
import pathlib
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "python" / "vm"))
sys.path.insert(0, str(ROOT / "bench" / "vm"))


def measure(launch, case, repeat):
    """(seconds without, seconds with counters), the smallest of each."""
    best = [float("inf")] * 2
    for _ in range(repeat):
        for counted in False, True:
            start = time.thread_time()
            result = launch(case.kernel, case.grid, *case.args, vm_options={"count": counted}, **case.options)
            best[counted] = min(best[counted], time.thread_time() - start)
            if result["findings"]:
                raise SystemExit(f"a finding in a good kernel: {result['findings'][0]['message']}")
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()

    import torch
    import vmlaunch
    from sanitizer_cost import NAMES
    from speed_cases import CASES
    vmlaunch.install()
    ratios = []
    print(f"{'kernel':32}{'plain ms':>11}{'counted ms':>12}{'ratio':>8}")
    for name in NAMES:
        if options.only and not any(word in name for word in options.only):
            continue
        torch.manual_seed(1)
        plain, counted = measure(vmlaunch.launch, CASES[name](), options.repeat)
        ratios.append(counted / plain)
        print(f"{name:32}{1e3 * plain:11.3f}{1e3 * counted:12.3f}{ratios[-1]:8.2f}")
    if not ratios:
        raise SystemExit("no case has such a name")
    print(f"{'median':55}{statistics.median(ratios):8.2f}")


if __name__ == "__main__":
    main()
