#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for ncu: runs the command that it is to profile, remembers which kernels that launched, and prints them in
the form of ncu's CSV. FAKE_NCU says how it misbehaves: "refused", "no report", "unknown metric", "garbage", "silent"."""
import json
import os
import subprocess
import sys

MODE = os.environ.get("FAKE_NCU", "")
UNITS = {"gpu__time_duration.sum": ("usecond", "1,234.5"), "dram__bytes_read.sum": ("Kbyte", "2"),
         "dram__bytes_write.sum": ("byte", "512"),
         "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": ("%", "71.25"),
         "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "12.5"),
         "sm__warps_active.avg.pct_of_peak_sustained_active": ("%", "63.1"),
         "sm__maximum_warps_per_active_cycle_pct": ("%", "75"), "launch__occupancy_limit_registers": ("block", "6"),
         "launch__occupancy_limit_shared_mem": ("block", "32"), "launch__occupancy_limit_warps": ("block", "8"),
         "launch__occupancy_limit_blocks": ("block", "32"), "launch__registers_per_thread": ("register/thread", "40"),
         "lts__throughput.avg.pct_of_peak_sustained_elapsed": ("%", "n/a"),
         "smsp__pcsamp_warps_issue_stalled_long_scoreboard": ("", "60"),
         "smsp__pcsamp_warps_issue_stalled_barrier": ("", "30"), "smsp__pcsamp_warps_issue_stalled_wait": ("", "10"),
         "smsp__pcsamp_warps_issue_stalled_wait_not_issued": ("", "900")}
OPTIONS_WITH_VALUE = {"--export", "--clock-control", "--cache-control", "--launch-skip", "--launch-count", "--section", "--set",
                      "--import-source", "--source-folders", "--metrics"}


def option(name, arguments=sys.argv):
    return arguments[arguments.index(name) + 1] if name in arguments else None


def row(*fields):
    print(",".join('"' + str(f).replace('"', '""') + '"' for f in fields))


def profile():
    at = 1
    while sys.argv[at].startswith("--"):
        at += 2 if sys.argv[at] in OPTIONS_WITH_VALUE else 1
    done = subprocess.run(sys.argv[at:], capture_output=True, text=True)
    print(done.stdout, end="")
    if MODE == "refused":
        sys.exit("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters")
    if MODE == "no report" or (MODE == "unknown metric" and "--metrics" in sys.argv):
        print("==ERROR== Failed to find metric smsp__none", file=sys.stderr)
        sys.exit(1)
    launches = [launch["kernel"] for launch in json.loads(done.stdout)["launches"]]
    assert int(option("--launch-count")) == len(launches), "the launches of the last call"
    assert int(option("--launch-skip")) == 2 * len(launches), "those of the first two are left out"
    with open(option("--export") + ".ncu-rep", "w") as report:
        json.dump({"launches": launches, "line": int(os.environ.get("FAKE_NCU_LINE", "1"))}, report)


def show(report):
    with open(report) as file:
        held = json.load(file)
    if MODE == "garbage":
        sys.stdout.buffer.write(b'"Kernel Name","\xff\xfe\n,,,"""\n' + b"\0" * 100)
    elif MODE != "silent" and option("--page") == "raw":
        print("==PROF== Connected to process 1")
        row("ID", "Kernel Name", "Block Size", *UNITS)
        row("", "", "", *(unit for unit, _ in UNITS.values()))
        for number, kernel in enumerate(held["launches"]):
            row(number, kernel + "(float *, int)", "(128, 1, 1)", *(value for _, value in UNITS.values()))
    elif MODE != "silent":
        for kernel in held["launches"]:
            row("File Path", "/somewhere/candidate.py")
            row("Function Name", kernel)
            row("Line No", "Source", "Address", "Source", "# Samples", "stall_long_sb", "stall_barrier")
            row(held["line"], "a line, with a comma", "-", "-", 75, 70, 5)
            row("", "", "0x10", "LDG.E R2", 75, 70, 5)
            row(held["line"] + 1, "another", "-", "-", 25, 5, 20)


if option("--import"):
    show(option("--import"))
else:
    profile()
