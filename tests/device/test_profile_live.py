# SPDX-License-Identifier: Apache-2.0
"""kgbench profile and kgbench compare on a real GPU: whatever counters this machine lets one read, the whole output is
printed, and what it promises without them is there. `make test-gpu` on a machine with a GPU; `-s` shows the output."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOFTMAX = ROOT / "catalogue" / "operators" / "aten" / "softmax" / "expert.py"
SPEC = ["--time-spec", "self=f32[4096,4096] dim=-1"]

pytestmark = [pytest.mark.gpu,
              pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")]


def kgbench(*arguments):
    done = subprocess.run([os.environ["KGBENCH_BINARY"], *map(str, arguments)], capture_output=True, text=True, timeout=580,
                          env={**os.environ, "KGBENCH_HOME": str(ROOT)})
    print("$ kgbench", *arguments, f"-> {done.returncode}")
    print(done.stdout, done.stderr, sep="\n")
    return done


@pytest.fixture(scope="module")
def profiled(tmp_path_factory):
    out = tmp_path_factory.mktemp("profile")
    done = kgbench("profile", SOFTMAX, "--op", "softmax", "--chip", "nvidia", "--tier", "smoke", "--seed", "5eed", *SPEC, "--out",
                   out)
    for name in ("ncu.log", "profile.json"):
        if (out / name).exists():
            print(f"--- {name}", (out / name).read_text(errors="replace")[:20000], sep="\n")
    assert done.returncode == 0
    return json.loads((out / "profile.json").read_text())


def test_every_launch_has_resources_and_the_call_a_time(profiled):
    assert profiled["kernels"] and profiled["device"]
    for kernel in profiled["kernels"]:
        assert 8 <= kernel["registers"] <= 255 and kernel["threads"] >= 32
    # 128 MiB there and back: no device does that in 5 us, and an H200 takes some 40.
    assert profiled["call_ns"] and all(5e3 < ns < 5e6 for ns in profiled["call_ns"])


def test_activity_records_agree_with_the_clock_where_there_are_any(profiled):
    if "CUPTI was not found" in (profiled["no_activity"] or ""):
        pytest.skip(profiled["no_activity"])
    assert profiled["nodes"], profiled["no_activity"]
    span = max(n["start_ns"] + n["ns"] for n in profiled["nodes"])
    clock = sorted(profiled["call_ns"])[len(profiled["call_ns"]) // 2]
    assert abs(span - clock) < 0.1 * clock + 1000, (clock, profiled["nodes"])
    assert all(kernel["activity_ns"] > 0 for kernel in profiled["kernels"])


def test_counters_are_there_or_said_to_be_missing(profiled):
    if profiled["no_counters"] is not None:
        assert "\n" not in profiled["no_counters"] and profiled["work"] is not None
        pytest.skip("no hardware counters: " + profiled["no_counters"])
    for kernel in profiled["kernels"]:
        metrics = kernel["counters"]["metrics"]
        missing = [key for key, value in metrics.items() if value is None]
        print("unknown:", missing, "| lines:", kernel["lines"][:3])
        assert 0 < metrics["dram_peak"] <= 105 and 0 < metrics["sm_peak"] <= 105
        assert metrics["registers"] == kernel["registers"]
        assert kernel["counters"]["limiter"] and kernel["counters"]["stalls"]
        assert 0.3 < metrics["duration"] / kernel["activity_ns"] < 3 if kernel["activity_ns"] else True


def test_a_kernel_against_itself_is_the_same_and_a_slower_one_is_slower(tmp_path):
    text = SOFTMAX.read_text()
    same = tmp_path / "same.py"
    same.write_text(text)
    done = kgbench("compare", SOFTMAX, same, "--op", "softmax", "--chip", "nvidia", "--tier", "smoke", *SPEC, "--json")
    assert done.returncode == 0
    [row] = json.loads(done.stdout)["workloads"]
    assert row["time"]["call"] in ("same", "cannot tell") and 0.97 < row["time"]["ratio"] < 1.03
    # The same launch a second time: the work is done twice.
    twice = tmp_path / "twice.py"
    twice.write_text(text + "\n\n_once = softmax\n\n\ndef softmax(*args, **more):\n    _once(*args, **more)\n"
                            "    return _once(*args, **more)\n")
    done = kgbench("compare", SOFTMAX, twice, "--op", "softmax", "--chip", "nvidia", "--tier", "smoke", *SPEC, "--json",
                   "--fail-on-regression")
    assert done.returncode == 1, "it is slower"
    [row] = json.loads(done.stdout)["workloads"]
    assert row["time"]["call"] == "slower" and row["time"]["high"] < 0.8
