#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the proof suite on this machine's GPU and writes what it gave into tests/device/data.

usage: tests/device/record.py [--jobs N] [--seconds N] [--commit TEXT] [--raw FILE] [FAMILY...]
"""

import argparse
import datetime
import multiprocessing
import pickle
import subprocess
import sys
import time
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).parent))
import agreement
import cases
import suite


def launch(case, arguments):
    case.kernel[case.grid](*arguments, enable_fp_fusion=case.fused, **case.constants)


def run(case):
    """The case's result on the GPU."""
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    result = suite.run(case, launch, "cuda")
    torch.cuda.synchronize()
    return result


def attempt(indexes):
    """In a process of its own: (result, error) by number. Ends early when the GPU no longer answers."""
    done = {}
    for index in indexes:
        try:
            done[index] = run(cases.CASES[index]), None
        except Exception as error:
            done[index] = None, f"{type(error).__name__}: {error}"
            try:
                torch.cuda.synchronize()
            except RuntimeError:
                break
    return done


def described(commit):
    """What the data was recorded with."""
    properties = torch.cuda.get_device_properties(0)
    driver = subprocess.run(
        ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True
    )
    return {
        "date": datetime.date.today().isoformat(),
        "device": properties.name,
        "capability": f"{properties.major}.{properties.minor}",
        "driver": driver.stdout.strip().splitlines()[0] if driver.returncode == 0 else "unknown",
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "triton": triton.__version__,
        "commit": commit,
    }


def run_all(wanted, jobs, seconds):
    """(result, error) by number of the case. A case that stops the GPU costs its process, which is replaced."""
    done, end = {}, time.monotonic() + seconds
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=1) as pool:
        while missing := [index for index in wanted if index not in done]:
            shares = [missing[i::jobs] for i in range(min(jobs, len(missing)))]
            for running in [pool.apply_async(attempt, (share,)) for share in shares]:
                try:
                    done.update(running.get(max(0.1, end - time.monotonic())))
                except multiprocessing.TimeoutError:
                    pass
            if time.monotonic() > end:
                done |= {index: (None, "not done in time") for index in wanted if index not in done}
        pool.terminate()
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("families", nargs="*", help="default: all")
    parser.add_argument("--jobs", type=int, default=8, help="processes that compile and launch")
    parser.add_argument("--seconds", type=float, default=1800, help="give up what is not done by then")
    parser.add_argument("--commit", default="", help="what to note as the source's commit (default: git's)")
    parser.add_argument("--raw", help="also write every output whole into this file, for the study of differences")
    given = parser.parse_args()
    unknown = set(given.families) - set(cases.FAMILIES)
    if unknown:
        parser.error(f"no family {', '.join(sorted(unknown))}; there are {', '.join(cases.FAMILIES)}")
    if not torch.cuda.is_available():
        parser.error("torch sees no GPU; run this on a machine that has one")
    families = given.families or list(cases.FAMILIES)
    wanted = [i for i, case in enumerate(cases.CASES) if case.family in families]
    started = time.monotonic()
    done = run_all(wanted, given.jobs, given.seconds)
    results = {index: result for index, (result, error) in done.items() if error is None}
    errors = {index: error for index, (_, error) in done.items() if error is not None}
    for index, error in errors.items():
        print(
            f"{cases.CASES[index].family} {cases.CASES[index].name}: {' '.join(error.split())[:300]}", file=sys.stderr
        )
    agreement.DATA.mkdir(exist_ok=True)
    for family in families:
        made = {
            cases.CASES[i].name: agreement.entry(cases.CASES[i], result)
            for i, result in results.items()
            if cases.CASES[i].family == family
        }
        agreement.write(family, made)
    commit = (
        given.commit
        or subprocess.run(
            ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"], capture_output=True, text=True
        ).stdout.strip()
    )
    agreement.write_machine(described(commit))
    if given.raw:
        with open(given.raw, "wb") as file:
            pickle.dump({(cases.CASES[i].family, cases.CASES[i].name): result for i, result in results.items()}, file)
    print(f"{len(results)} cases recorded, {len(errors)} failed, {time.monotonic() - started:.1f} s")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
