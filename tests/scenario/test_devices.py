# SPDX-License-Identifier: Apache-2.0
"""Several GPUs of one host, on the driver's stand-in with two devices: candidates are spread over them, each device is
watched by its own monitor, the store says which one judged, and one that fails its probe is left out."""
import json
import os
import shutil
import sqlite3

import pytest
from conftest import HOME, kgbench

CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin", "--target", "none"]
OPS = ["aten::neg", "aten::sgn", "aten::rsqrt", "aten::sin"]
UUIDS = {0: "000102030405060708090a0b0c0d0e0f", 1: "010102030405060708090a0b0c0d0e0f"}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    """Peaks of both devices, so that nothing has to be measured."""
    folder = tmp_path_factory.mktemp("cache")
    (folder / "peaks").mkdir()
    for uuid in UUIDS.values():
        peaks = {"schema": 1, "device": "kgbench stand-in", "uuid": uuid, "driver": "999.1", "made": "2026-12-01T10:00:00Z",
                 "problem": "", "rates": {"bandwidth": {"rate": 1e9, "how": "told"}}}
        (folder / "peaks" / f"{uuid}-999.1.json").write_text(json.dumps(peaks))
    return folder


@pytest.fixture(scope="module")
def environment(cache):
    def made(**more):
        return {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"], "KGBENCH_STANDIN_DEVICES": "2",
                "KGBENCH_NVML_LIBRARY": os.environ["KGBENCH_STANDIN_NVML"], "KGBENCH_CACHE": str(cache), **more}
    return made


def run(env, folder, *options, ops=OPS, lanes=2):
    return kgbench("run", "--contestant", "experts", "--op", ",".join(ops), "--tier", "smoke", "--value-sets", "1", "-j", lanes,
                   "--seed", "5eed", *CHIP, "--out", folder, *options, env=env)


def evaluations(folder):
    with sqlite3.connect(folder / "run.sqlite") as store:
        return [json.loads(row[0]) for row in store.execute("SELECT json FROM evaluation")]


def judged_on(folder):
    return {e["op"]: e["device"]["index"] for e in evaluations(folder)}


def test_candidates_are_spread_over_both_and_each_is_watched_by_its_own_monitor(environment, tmp_path):
    done = run(environment(KGBENCH_STANDIN_NVML_STATE="thermal@1"), tmp_path / "run")
    assert done.code == 0, done.err
    found = evaluations(tmp_path / "run")
    assert len(found) == len(OPS)
    assert {e["device"]["index"] for e in found} == {0, 1}
    for evaluation in found:
        assert evaluation["verdict"] == "pass", evaluation["findings"]
        device = evaluation["device"]
        assert device["name"] == "kgbench stand-in" and device["uuid"] == UUIDS[device["index"]]
        assert evaluation["timings"]
        for timing in evaluation["timings"]:
            hot = device["index"] == 1
            assert timing["conditions"]["throttled"] == (["hw_thermal"] if hot else []), (device, timing)


def test_one_device_is_taken_by_its_number(environment, tmp_path):
    done = run(environment(), tmp_path / "run", "--devices", "1", "--no-time", ops=OPS[:2])
    assert done.code == 0, done.err
    assert set(judged_on(tmp_path / "run").values()) == {1}


@pytest.mark.parametrize("shown", ["1,0", "GPU-01,GPU-00"])
def test_numbers_count_what_the_environment_shows(environment, tmp_path, shown):
    done = run(environment(CUDA_VISIBLE_DEVICES=shown), tmp_path / "run", "--devices", "0", "--no-time", ops=OPS[:1])
    assert done.code == 0, done.err
    [evaluation] = evaluations(tmp_path / "run")
    assert evaluation["device"]["index"] == 0 and evaluation["device"]["uuid"] == UUIDS[1]
    assert evaluation["verdict"] == "pass"


@pytest.mark.parametrize("options, says", [
    (["--devices", "2"], "error: --devices 2: there are 2 devices here, numbers 0 to 1\n"),
    (["--devices", "0", "--chip", "cpu"],
     "error: --devices names GPUs, and --chip cpu is the virtual machine. Leave one of them out\n"),
])
def test_a_device_that_is_not_there_is_a_line(environment, tmp_path, options, says):
    done = kgbench("run", "--op", OPS[0], *CHIP[:2], *options, "--out", tmp_path / "run", env=environment())
    assert done.code == 2 and done.err == says


@pytest.fixture
def breakable(tmp_path):
    """A copy of the driver, and a function that says which of its devices are broken."""
    library = tmp_path / "libcuda.so"
    shutil.copy(os.environ["KGBENCH_STANDIN"], library)
    return library, lambda numbers: (tmp_path / "libcuda.so.broken").write_text(numbers)


def test_a_broken_device_is_left_out_and_its_candidate_judged_on_another(environment, tmp_path, breakable):
    library, breaks = breakable
    breaks("1")
    done = run(environment(KGBENCH_CUDA_LIBRARY=str(library)), tmp_path / "run", "--no-time")
    assert done.code == 0, done.err
    assert "device 1 (kgbench stand-in) fails its probe and is left out" in done.err
    found = evaluations(tmp_path / "run")
    assert [e["verdict"] for e in found] == ["pass"] * len(OPS), "nothing is blamed on a candidate"
    assert {e["device"]["index"] for e in found} == {0}
    [moved] = [e for e in found if e["device"]["instead_of"]]
    assert moved["device"]["instead_of"][0].startswith("device 1 (kgbench stand-in): ")


def test_without_a_device_the_run_stops_and_can_go_on(environment, tmp_path, breakable):
    library, breaks = breakable
    breaks("0 1")
    env = environment(KGBENCH_CUDA_LIBRARY=str(library))
    done = run(env, tmp_path / "run", "--no-time", lanes=1)
    assert done.code == 3, done.err
    assert "no device is left: device 0 (kgbench stand-in) was left out" in done.err
    assert all(e["verdict"] == "infra" for e in evaluations(tmp_path / "run")), "nothing is blamed on a candidate"
    breaks("")
    again = kgbench("run", "--resume", tmp_path / "run", "--no-time", "-j", "2", *CHIP, env=env)
    assert again.code == 0, again.err
    assert len(evaluations(tmp_path / "run")) == len(OPS)
