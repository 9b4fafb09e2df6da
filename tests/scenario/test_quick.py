# SPDX-License-Identifier: Apache-2.0
"""The profile quick: fewer workloads, the same word on what is wrong, and no way to take its pass for a careful one."""
import csv
import io
import json
import os
import subprocess

import pytest
from conftest import BINARY, HOME, expert, kgbench

QUICK = ["--profile", "quick", "--seed", "5eed"]
OP = "vllm::rms_norm"
STANDIN = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"]}
CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin", "--target", "none"]


def judged(file, op, *options, code=0):
    done = kgbench("judge", file, "--op", op, "--json", *options)
    assert done.code == code, done.err
    return json.loads(done.out)


@pytest.fixture(scope="module")
def quick():
    return judged(expert(OP), OP, *QUICK)


def test_it_judges_a_public_and_a_hidden_workload_of_each_class(quick):
    assert quick["profile"] == "quick" and quick["verdict"] == "pass"
    assert quick["targets"] == []
    tiers = [w["tier"] for w in quick["workloads"]]
    assert tiers == ["smoke"] * (len(tiers) // 2) + ["hidden"] * (len(tiers) // 2)
    assert 2 <= len(tiers) <= 6
    careful = judged(expert(OP), OP, "--seed", "5eed", "--target", "none")
    assert careful["profile"] == "careful"
    whole = {w["id"]: w for w in careful["workloads"]}
    assert len(whole) > 2 * len(tiers)
    for workload in quick["workloads"]:
        assert workload["description"] == whole[workload["id"]]["description"]
        assert workload["elements"] < whole[workload["id"]]["elements"], "one set of values"


def test_people_read_quick_pass():
    done = kgbench("judge", expert(OP), "--op", OP, *QUICK)
    assert done.code == 0
    assert done.out.splitlines()[0].endswith("quick pass")
    assert "  profile   quick" in done.out


def test_what_is_wrong_is_wrong(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(expert(OP).read_text().replace("tl.rsqrt(", "1.01 * tl.rsqrt("))
    assert judged(file, OP, *QUICK, code=1)["verdict"] == "wrong_value"


def test_an_operator_that_writes_what_was_there_is_not_blamed():
    evaluation = judged(expert("aten::masked_fill_"), "aten::masked_fill_", *QUICK)
    assert evaluation["verdict"] == "pass", evaluation["findings"]


def test_a_workload_that_is_named_is_judged_as_it_is():
    evaluation = judged(expert(OP), OP, *QUICK, "--only", "s1")
    assert [w["id"] for w in evaluation["workloads"]] == ["s1"]


def test_another_word_is_a_mistake():
    done = kgbench("judge", expert(OP), "--op", OP, "--profile", "fast")
    assert done.code == 2 and "--profile" in done.err and "careful" in done.err


def test_the_stream_says_the_profile_and_shares_the_draw():
    lines = "".join(json.dumps({"id": i, "op": OP, "file": str(expert(OP))}) + "\n" for i in range(3))
    done = subprocess.run([BINARY, "judge", "--stream", "--json", "-j", "2", "--profile", "quick"], input=lines.encode(),
                          stdout=subprocess.PIPE, timeout=400)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [a["profile"] for a in answers] == ["quick"] * 3 == [a["evaluation"]["profile"] for a in answers]
    assert len({tuple(w["description"] for w in a["evaluation"]["workloads"]) for a in answers}) == 1


def test_on_a_device_one_workload_is_timed():
    done = kgbench("judge", expert(OP), "--op", OP, "--json", *QUICK, *CHIP, env=STANDIN)
    assert done.code == 0, done.err
    evaluation = json.loads(done.out)
    assert evaluation["verdict"] == "pass" and len(evaluation["timings"]) == 1


def images(folder):
    return list(folder.rglob("*.image"))


def test_a_device_gets_nothing_of_what_failed_on_the_virtual_machine(tmp_path):
    env = {**STANDIN, "KGBENCH_CACHE": str(tmp_path / "cache")}
    file = tmp_path / "mine.py"
    file.write_text(expert(OP).read_text().replace("tl.rsqrt(", "1.01 * tl.rsqrt("))
    done = kgbench("judge", file, "--op", OP, "--json", *QUICK, *CHIP, env=env)
    assert done.code == 1 and json.loads(done.out)["verdict"] == "wrong_value", done.err
    assert not images(tmp_path), "no kernel was compiled for the device"
    done = kgbench("judge", expert(OP), "--op", OP, "--json", *QUICK, *CHIP, env=env)
    assert done.code == 0 and images(tmp_path), done.err


PROFILES = {"small": "quick", "whole": "careful"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A quick run and a careful one of the same candidate."""
    folder = tmp_path_factory.mktemp("runs")
    for name, profile in PROFILES.items():
        done = kgbench("run", "--contestant", "experts", "--op", OP, "--seed", "5eed", "--target", "none",
                       "--profile", profile, "--out", folder / name)
        assert done.code == 0, done.err
        told = done.out + done.err
        assert ("quick pass" in told) == (profile == "quick") == ("pass the quick profile" in told)
    return folder


@pytest.mark.parametrize("name, profile", PROFILES.items())
def test_every_report_tells_the_profile(runs, name, profile):
    def report(form):
        done = kgbench("report", runs / name, "--format", form)
        assert done.code == 0, done.err
        return done.out

    document = json.loads(report("json"))
    assert document["run"]["profile"] == profile == document["evaluations"][0]["profile"]
    assert [row["profile"] for row in csv.DictReader(io.StringIO(report("csv")))] == [profile]
    quick = profile == "quick"
    assert ("quick pass" in report("table")) == quick == ("quick pass" in report("html"))
    assert ("(profile quick)" in report("junit")) == quick


def test_runs_of_two_profiles_are_not_mixed(runs):
    done = kgbench("compare", runs / "small", runs / "whole")
    assert done.code == 2 and "their profiles differ (quick and careful)" in done.err
    done = kgbench("merge", runs / "small", runs / "whole", "--out", runs / "both")
    assert done.code == 2 and "their profile differs" in done.err
    done = kgbench("report", runs / "small", "--table", "a100")
    assert done.code == 2 and "profile quick" in done.err
    assert kgbench("report", runs / "whole", "--table", "a100").code == 0


def test_a_run_goes_on_in_its_profile(runs):
    done = kgbench("run", "--resume", runs / "small", "--profile", "careful")
    assert done.code == 2 and "--profile quick, not careful" in done.err
    assert kgbench("run", "--resume", runs / "small").code == 0
    replayed = kgbench("run", "--contestant", f"replay:{runs / 'small'}", "--out", runs / "again", "--tier", "smoke",
                       "--target", "none")
    assert replayed.code == 0, replayed.err
    assert json.loads(kgbench("report", runs / "again", "--format", "json").out)["run"]["profile"] == "careful"
