# SPDX-License-Identifier: Apache-2.0
"""How the device was while a candidate was timed, the energy of a call and its share of the roofline, from the command
line on the stand-ins of the driver and of NVML. Nothing depends on how fast anything is there."""
import json
import os
import pathlib

import pytest
from conftest import HOME, expert, kgbench

NVML = os.environ["KGBENCH_STANDIN_NVML"]
CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin", "--target", "none"]
OP = "aten::neg"
# The stand-in's UUID, and the version that its NVML tells; without NVML the driver is that of CUDA.
UUID = "000102030405060708090a0b0c0d0e0f"
PEAKS = {"schema": 1, "device": "kgbench stand-in", "uuid": UUID, "driver": "999.1", "made": "2026-12-01T10:00:00Z",
         "problem": "", "rates": {"bandwidth": {"rate": 1e9, "how": "told"}, "f32": {"rate": 1e12, "how": "told"},
                                  "bf16_dot": {"rate": 2e12, "how": "told"}}}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache")
    (folder / "peaks").mkdir()
    for driver in ("999.1", "CUDA_12.0"):
        (folder / "peaks" / f"{UUID}-{driver}.json").write_text(json.dumps(PEAKS))
    return folder


def environment(cache, state="", nvml=NVML):
    return {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"], "KGBENCH_NVML_LIBRARY": nvml,
            "KGBENCH_STANDIN_NVML_STATE": state, "KGBENCH_CACHE": str(cache)}


def judge(cache, *options, **device):
    done = kgbench("judge", expert(OP), "--op", OP, "--tier", "smoke", "--only", "s0", "--seed", "5eed",
                   "--baseline", expert(OP), "--time-spec", "self=f32[1024,1024]", *CHIP, *options,
                   env=environment(cache, **device))
    assert done.code == 0, done.err
    return done.out


def timing(cache, **device):
    evaluation = json.loads(judge(cache, "--json", **device))
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    [one] = evaluation["timings"]
    return one


def test_an_idle_device_is_told_with_energy_and_roof(cache):
    one = timing(cache)
    seen = one["conditions"]
    assert seen["samples"] >= 2 and seen["unknown"] == []
    assert seen["sm_mhz"] == {"start": 1980, "end": 1980, "least": 1980, "most": 1980}
    assert seen["memory_mhz"]["end"] == 3201 and seen["throttled"] == [] and seen["foreign"] == []
    # 500 W for as long as a replay takes, whatever that is here.
    assert one["energy"]["call_mj"] > 0, one["energy"]
    roof = one["roof"]
    assert roof["bound"] == "memory" and roof["peak"] == "bandwidth" and roof["measured"]
    assert roof["least_s"] == pytest.approx(2 * 1024 * 1024 * 4 / 1e9)
    assert roof["share"] == pytest.approx(roof["least_s"] / one["candidate"])


def test_heat_says_so_and_is_cannot_tell(cache):
    one = timing(cache, state="thermal,power_cap")
    assert set(one["conditions"]["throttled"]) == {"hw_thermal", "power_cap"}
    assert one["call"] == "cannot tell" and one["ratio"] > 0
    assert one["why"].startswith("the device was slowed down while this was timed: thermal slowdown by the hardware")


def test_another_process_that_computes_says_so_and_is_cannot_tell(cache):
    one = timing(cache, state="foreign,busy")
    assert one["conditions"]["foreign"] == [{"pid": 4242, "memory_bytes": 3 << 30, "sm_percent": 37}]
    assert one["call"] == "cannot tell" and "process 4242, none of kgbench's" in one["why"]


def test_another_process_that_only_waits_is_told(cache):
    one = timing(cache, state="foreign")
    assert one["conditions"]["foreign"] == [{"pid": 4242, "memory_bytes": 3 << 30, "sm_percent": 0}]
    assert "4242" not in one["why"]


@pytest.mark.parametrize("device, lines", [
    ({"nvml": "libnone.so.7"}, ["clocks, power and other processes: libnone.so.7 could not be opened"]),
    ({"state": "forbidden"}, ["the SM clock: not permitted", "processes on the device: not permitted"]),
    ({"state": "hidden"}, ["other processes on the device: NVML does not list kgbench's own"])])
def test_what_is_not_known_is_a_line_each_and_no_failure(cache, device, lines):
    out = judge(cache, **device)
    assert out.startswith(f"{OP}  ") and "  pass\n" in out
    for line in lines:
        assert out.count(f"  unknown   {line}") == 1, out
    assert ("mJ a call" in out) == ("hidden" in device.values())
    assert "% of the memory roof" in out


def doctor(cache, *options, **device):
    done = kgbench("doctor", "--json", *options, env=environment(cache, **device))
    return {row["name"]: row for row in json.loads(done.out)["rows"]}


def test_the_doctor_tells_nvml_and_the_peaks(cache):
    rows = doctor(cache, state="power_cap")
    assert rows["GPU monitor (NVML)"]["detail"] == (
        "driver 999.1, SM 1980 of 1980 MHz, memory 3201 of 3201 MHz, application clocks not limited, power cap, "
        "persistence mode on")
    assert rows["GPU peaks"]["detail"].startswith("2026-12-01, bandwidth 0.001 TB/s (told), bf16_dot 2 TFLOP/s")
    rows = doctor(cache, nvml="libnone.so.7")
    assert not rows["GPU monitor (NVML)"]["available"]
    assert "libnone.so.7 could not be opened" in rows["GPU monitor (NVML)"]["detail"]


def test_the_doctor_measures_the_peaks_when_asked(tmp_path):
    assert "not measured yet" in doctor(tmp_path)["GPU peaks"]["detail"]
    row = doctor(tmp_path, "--measure-peaks")["GPU peaks"]
    assert row["available"], row
    kept = json.loads(pathlib.Path(tmp_path, "peaks", f"{UUID}-999.1.json").read_text())
    assert kept["uuid"] == UUID and kept["driver"] == "999.1"
    rates = {name: rate["rate"] for name, rate in kept["rates"].items()}
    assert rates["bandwidth"] == max(rates["copy"], rates["read"]) > 0
    # There is no GPU for torch: products are not measured, and nobody guesses them.
    assert set(rates) == {"bandwidth", "copy", "read"} and kept["problem"] == "products: torch has no CUDA device"
    assert "not measured: products" in row["detail"]
