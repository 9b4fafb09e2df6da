# SPDX-License-Identifier: Apache-2.0
"""cuBLAS on a real GPU: for every function that a card names, each smoke workload as a recorded graph, its last replay
held against the reference within the card's bound. `make test-gpu` on a machine with a GPU; by hand, with the table:
`tools/pytest.sh -s tests/device/test_cublas_live.py`."""

import collections
import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CARDS = ROOT / "catalogue" / "operators" / "cublas"
OPERATORS = sorted(f"cublas::{folder.name}" for folder in CARDS.iterdir())
SECONDS = 300  # for all of them

pytestmark = pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")


def beside_torch():
    """The library that the judge finds, too."""
    for folder in map(pathlib.Path, sys.path):
        for inside in ("nvidia/cu13/lib/libcublas.so.13", "nvidia/cublas/lib/libcublas.so.12"):
            if (folder / inside).is_file():
                return str(folder / inside)
    return ""


def probe_all():
    """Lines of the probe by operator. A probe that ends early (a fault takes the device's context with it) is started again
    behind the operator that ended it."""
    lines, left, end = collections.defaultdict(list), list(OPERATORS), time.monotonic() + SECONDS
    environment = {"KGBENCH_CUBLAS_LIBRARY": beside_torch(), **os.environ, "KGBENCH_HOME": str(ROOT)}
    environment.setdefault("KGBENCH_PYTHON", sys.executable)
    probe = pathlib.Path(os.environ["KGBENCH_BINARY"]).parents[1] / "tests" / "vendor_probe"
    while left and time.monotonic() < end:
        try:
            done = subprocess.run([probe, *left], capture_output=True, text=True, timeout=end - time.monotonic(), env=environment)
            code, out, err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired as late:
            code, err = "timeout", (late.stderr or b"").decode()
            out = (late.stdout or b"").decode()
        for line in out.splitlines():
            if line.startswith("{") and line.endswith("}"):
                found = json.loads(line)
                lines[found["op"]].append(found)
        if code == 0:
            break
        reached = [op for op in left if op in lines]
        stopped = reached[-1] if reached else left[0]
        lines[stopped].append({"status": "stopped", "edge": False, "workload": "?", "call": "", "ns": 0,
                               "message": f"the probe ended with {code}: {err.strip()[-300:]}"})
        left = left[left.index(stopped) + 1:]
    return lines


def table(lines):
    rows = [f"{'operator':32} {'library':13} right wrong refused edge  share of bound  us (median, slowest workload)"]
    for op in OPERATORS:
        all_of, counted = lines[op], [line for line in lines[op] if not line["edge"]]
        count = collections.Counter(line["status"] for line in counted)
        times = sorted(line.get("ns", 0) / 1e3 for line in counted if line["status"] == "right") or [0]
        library = next((line["library"] for line in all_of if "library" in line), "-")
        share = max((line.get("share of bound", 0) for line in counted), default=0)
        rows.append(f"{op:32} {library:13} {count['right']:5} {count['wrong']:5} {len(counted) - count['right'] - count['wrong']:7}"
                    f" {len(all_of) - len(counted):4}  {share:14.3f}  {times[len(times) // 2]:.2f} {times[-1]:.2f}")
        for line in all_of:
            if line["status"] != "right":
                rows.append(f"    {line['workload']}{' (edge)' if line['edge'] else ''} {line['status']}: "
                            f"{line.get('message', '')} [{line['call']}]")
    return "\n".join(rows)


@pytest.fixture(scope="module")
def lines(request):
    found = probe_all()
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("\n" + table(found), flush=True)
    return found


@pytest.mark.parametrize("op", OPERATORS)
def test_the_library_agrees_with_the_reference(lines, op):
    counted = [line for line in lines[op] if not line["edge"]]
    assert counted, "nothing was run"
    assert not [line for line in counted if line["status"] != "right"]
    assert not [line for line in lines[op] if line["status"] == "wrong"], "an empty call is no reason for a wrong value"


def test_something_took_time(lines):
    untimed = [op for op in OPERATORS if not any(line.get("ns", 0) > 0 for line in lines[op])]
    assert not untimed, "a graph without nodes is no baseline"
