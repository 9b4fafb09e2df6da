# SPDX-License-Identifier: Apache-2.0
"""NVML, energy and measured peaks on a real GPU. Everything that was read is printed (`pytest -s`), whatever the outcome;
what a container's NVML refuses must be a line, not a failure. `make test-gpu` on a machine with a GPU."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")


def kgbench(*arguments, cache):
    done = subprocess.run([os.environ["KGBENCH_BINARY"], *arguments], capture_output=True, text=True, timeout=300,
                          env={**os.environ, "KGBENCH_HOME": str(ROOT), "KGBENCH_CACHE": str(cache)})
    print(f"$ kgbench {' '.join(arguments)}\n{done.stdout}{done.stderr}", file=sys.stderr)
    return done.stdout


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Empty, so that the peaks are measured here."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def rows(cache):
    return {row["name"]: row for row in json.loads(kgbench("doctor", "--json", "--measure-peaks", cache=cache))["rows"]}


@pytest.fixture(scope="module")
def timing(cache, rows):  # after the peaks
    file = ROOT / "catalogue" / "operators" / "aten" / "softmax" / "expert.py"
    evaluation = json.loads(kgbench("judge", str(file), "--op", "aten::softmax", "--tier", "smoke", "--only", "s0", "--chip",
                                    "nvidia", "--target", "none", "--time-spec", "self=f32[4096,4096] dim=-1", "--json",
                                    cache=cache))
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    [one] = evaluation["timings"]
    return one


def test_nvml_is_matched_to_the_device_or_says_why_not(rows):
    row = rows["GPU monitor (NVML)"]
    if not row["available"]:
        assert row["detail"].count("\n") == 0 and row["remedy"]
        pytest.skip(row["detail"])
    assert row["detail"].startswith("driver ") and " MHz" in row["detail"]


def test_the_peaks_are_measured_and_below_the_data_sheets(cache, rows):
    assert rows["GPU peaks"]["available"], rows["GPU peaks"]
    [file] = (cache / "peaks").iterdir()
    kept = json.loads(file.read_text())
    rates = {name: row["rate"] for name, row in kept["rates"].items()}
    assert kept["problem"] == "" and {"bandwidth", "bf16_dot", "f16_dot", "tf32_dot", "f32", "f64_dot"} <= set(rates)
    cards = [path.read_text() for path in (ROOT / "catalogue" / "chips").glob("*.toml")]
    card = next(text for text in cards if f'device_name = "{kept["device"]}"' in text and 'kind        = "chip"' in text)
    nominal = {name.strip(): float(value) for name, value in (line.split("=") for line in card.splitlines()
                                                              if "=" in line and line.split("=")[0].strip() in rates)}
    for name, rate in rates.items():
        if name in nominal:
            # A fast clock may read a few per cent over the sheet; less than a third of it was not the device at work.
            assert nominal[name] / 3 < rate < 1.1 * nominal[name], (name, rate, nominal[name])


def test_softmax_has_a_share_of_the_roofline(timing):
    roof = timing["roof"]
    assert roof["bound"] == "memory" and roof["measured"] and not roof["launch_bound"]
    assert 0.2 < roof["share"] < 1.3, roof


def test_how_the_device_was_is_told_or_unknown(timing):
    seen = timing["conditions"]
    if seen["samples"] == 0:
        assert len(seen["unknown"]) == 1
        pytest.skip(seen["unknown"][0])
    assert seen["samples"] >= 2
    for key, least, most in (("sm_mhz", 100, 5000), ("memory_mhz", 100, 20000), ("power_w", 10, 2000), ("temperature_c", 5, 120)):
        if key in seen:
            assert least < seen[key]["least"] <= seen[key]["most"] < most
        else:
            assert seen["unknown"], key
    for process in seen.get("foreign", []):
        assert process["pid"] > 0


def test_energy_is_a_power_that_a_board_can_draw_or_unknown(timing):
    energy = timing["energy"]
    if "call_mj" not in energy:
        pytest.skip(energy["why"])
    # The call is replayed with what the L2 cache holds, so its time is not exactly that of the series.
    assert 30 < 1e-3 * energy["call_mj"] / timing["candidate"] < 2000
