# SPDX-License-Identifier: Apache-2.0
"""kgbench profile: on the driver's stand-in with a stand-in for ncu, without ncu, without a GPU, and asked for wrongly."""
import json
import os
import pathlib
import sys

import pytest
import schema
from conftest import HOME, expert, kgbench

NCU = pathlib.Path(__file__).with_name("fake_ncu.py")
STANDIN = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"],
           "KGBENCH_CUPTI_LIBRARY": os.environ["KGBENCH_STANDIN"]}
CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin"]
QUICK = ["--seed", "5eed", "--value-sets", "1"]
DOCUMENT = json.loads((HOME / "docs" / "profile.schema.json").read_text())
SOFTMAX = ["--op", "softmax", "--workload-spec", "self=f32[8,100] dim=-1"]


def ncu(folder, mode="", line=1):
    """The environment in which the stand-in is found as ncu: a program of its own, which knows how to misbehave."""
    program = folder / "ncu"
    program.write_text(f"#!/bin/sh\nFAKE_NCU='{mode}' FAKE_NCU_LINE={line} exec {sys.executable} {NCU} \"$@\"\n")
    program.chmod(0o755)
    return {**STANDIN, "KGBENCH_NCU": str(program)}


def no_ncu(folder):
    """A PATH with everything but ncu; the places of CUDA's installers stay."""
    if [*pathlib.Path("/usr/local").glob("cuda*/bin/ncu"), *pathlib.Path("/opt").glob("nvidia/nsight-compute/*/ncu")]:
        pytest.skip("ncu is installed here")
    return {**STANDIN, "PATH": "/usr/bin:/bin"}


def profile(*arguments, env=STANDIN):
    done = kgbench("profile", *arguments, "--json", *QUICK, *CHIP, env=env)
    assert done.code == 0, done.out + done.err
    value = json.loads(done.out)
    assert schema.errors(value, DOCUMENT) == []
    return value


def test_counters_times_and_lines_of_each_launch(tmp_path):
    source = expert("aten::softmax").read_text().splitlines()
    line = next(i for i, text in enumerate(source, 1) if "tl.load" in text)
    file, out = expert("aten::softmax"), tmp_path / "out"
    value = profile(file, *SOFTMAX, "--out", out, env=ncu(tmp_path, line=line))
    [kernel] = value["kernels"]
    metrics = kernel["counters"]["metrics"]
    assert metrics["duration"] == 1234500 and metrics["dram_read"] == 2000 and metrics["dram_peak"] == 71.25
    assert metrics["l2_peak"] is None and metrics["local_loads"] is None, "what ncu does not say is unknown"
    assert kernel["counters"]["limiter"] == "registers"
    assert [(s["reason"], s["share"]) for s in kernel["counters"]["stalls"]] == [
        ("long_scoreboard", 0.6), ("barrier", 0.3), ("wait", 0.1)]
    assert [(at["line"], at["share"], at["reason"]) for at in kernel["lines"]] == [
        (line, 0.75, "long_sb"), (line + 1, 0.25, "barrier")]
    assert kernel["registers"] == 32 and kernel["activity_ns"] > 0
    assert value["no_counters"] is None and value["work"] is None
    assert len(value["call_ns"]) == 11 and [n["name"] for n in value["nodes"]] == [kernel["kernel"]]
    assert {f.name for f in out.iterdir()} == {"candidate.py", "replay.frame", "profile.ncu-rep", "ncu.log", "profile.json"}
    assert json.loads((out / "profile.json").read_text()) == value
    assert value["report"] == str(out / "profile.ncu-rep")


def test_the_text_tells_the_same(tmp_path):
    file, out = expert("aten::softmax"), tmp_path / "out"
    done = kgbench("profile", file, *SOFTMAX, "--out", out, *QUICK, *CHIP, env=ncu(tmp_path))
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith(f"== aten::softmax  {file}  ") and lines[0].endswith(": self f32[8,100], dim=-1")
    assert lines[1] == "  device       'kgbench stand-in', driver '12.0'"
    assert lines[2].startswith("  call         ") and lines[2].endswith(" by stamps, median of 11")
    assert "    of peak     DRAM 71.2 %, L2 unknown, SM 12.5 %" in lines
    assert "    DRAM        2.0 KiB read, 512 B written" in lines
    assert "    occupancy   63.1 % of the warps that fit, at most 75.0 %; limited by registers" in lines
    assert "    spills      none: no local memory" in lines
    assert "    stalls      'long_scoreboard' 60 %, 'barrier' 30 %, 'wait' 10 % of the samples" in lines
    assert lines[-1] == f"kept in {out}; ncu's report: {out}/profile.ncu-rep (open it with ncu-ui)"


def test_the_stored_plan_is_replayed_without_python_or_the_candidate(tmp_path):
    out = tmp_path / "out"
    value = profile(expert("aten::softmax"), *SOFTMAX, "--out", out, "--no-counters")
    assert value["no_counters"] == "left out by --no-counters"
    empty = {"PATH": "/nowhere", "KGBENCH_CUDA_LIBRARY": STANDIN["KGBENCH_STANDIN"]}
    (out / "candidate.py").unlink()
    done = kgbench("executor", "--replay", out / "replay.frame", "--backend", "cuda", env=empty)
    assert done.code == 0, done.err
    assert json.loads(done.out)["launches"][0]["kernel"] == value["kernels"][0]["kernel"]
    assert json.loads(done.out)["call_ns"] == [], "nothing but the launches of the plan"


@pytest.mark.parametrize("damage, says", [
    (lambda b: b"", "holds no stored plan"), (lambda b: b"KGF1" + b"\xff" * 60, "holds no stored plan"),
    (lambda b: b[:len(b) // 2], "holds no stored plan"), (lambda b: b.replace(b'"images"', b'"imagos"', 1), "")])
def test_a_damaged_plan_is_an_error(tmp_path, damage, says):
    out = tmp_path / "out"
    profile(expert("aten::softmax"), *SOFTMAX, "--out", out, "--no-counters")
    frame = out / "replay.frame"
    frame.write_bytes(damage(frame.read_bytes()))
    done = kgbench("executor", "--replay", frame, "--backend", "cuda", env=STANDIN)
    assert done.code in (2, 3) and done.err.startswith("error: ") and says in done.err and done.out == ""


@pytest.mark.parametrize("mode, says", [
    ("refused", "this user may not read the device's counters (ERR_NVGPUCTRPERM). Run as root"),
    ("no report", "ncu gave no report: ==ERROR== Failed to find metric smsp__none"),
    ("garbage", "ncu's report holds no kernel: "), ("silent", "ncu's report holds no kernel: it said nothing")])
def test_what_ncu_does_wrong_is_one_line_and_the_rest_remains(tmp_path, mode, says):
    value = profile(expert("aten::softmax"), *SOFTMAX, "--out", tmp_path / "out", env=ncu(tmp_path, mode))
    assert value["no_counters"].startswith(says) and "\n" not in value["no_counters"]
    [kernel] = value["kernels"]
    assert kernel["counters"] is None and kernel["lines"] == [] and kernel["activity_ns"] > 0
    assert value["work"]["totals"]["flops"] > 0, "the virtual machine's counters take their place"


def test_a_metric_that_this_ncu_does_not_know_costs_no_more_than_itself(tmp_path):
    value = profile(expert("aten::softmax"), *SOFTMAX, "--out", tmp_path / "out", env=ncu(tmp_path, "unknown metric"))
    assert value["no_counters"] is None and value["kernels"][0]["counters"]["metrics"]["sm_peak"] == 12.5


def test_without_ncu_and_without_activity_records_it_says_so(tmp_path):
    # A CUPTI that is installed here all the same has no driver of its own to record.
    env = {**no_ncu(tmp_path), "KGBENCH_CUPTI_LIBRARY": "libnone.so"}
    done = kgbench("profile", expert("aten::softmax"), *SOFTMAX, "--out", tmp_path / "out", *QUICK, *CHIP, env=env)
    assert done.code == 0, done.err
    assert "  no hardware counters: ncu was not found. Install NVIDIA Nsight Compute, or name it with KGBENCH_NCU\n" in done.out
    assert "  no activity records: CUPTI " in done.out
    assert "  work, as the virtual machine counts it:\n== aten::softmax" in done.out
    assert " by stamps, median of 11\n" in done.out


def test_without_a_gpu_there_is_the_work(tmp_path):
    done = kgbench("profile", expert("aten::softmax"), *SOFTMAX, "--out", tmp_path / "out", *QUICK, "--chip", "cpu")
    assert (done.code, done.err) == (0, "")
    assert "  no hardware counters: there is no GPU here. On one the same command reads them with ncu\n" in done.out
    assert "  FLOPs " in done.out and "device  " not in done.out
    value = json.loads((tmp_path / "out" / "profile.json").read_text())
    assert schema.errors(value, DOCUMENT) == [] and value["kernels"] == [] and value["work"]["totals"]["programs"] > 0


def test_a_shape_of_its_own_is_profiled(tmp_path):
    value = profile(expert("aten::softmax"), "--op", "softmax", "--only", "s0", "--time-spec", "self=f32[16,64] dim=-1",
                    "--out", tmp_path / "out", "--no-counters")
    assert (value["workload"], value["description"]) == ("t0", "self f32[16,64], dim=-1")


def test_the_default_folder_is_named_after_what_was_profiled(tmp_path):
    value = profile(expert("aten::softmax"), *SOFTMAX, "--no-counters", env={**STANDIN, "KGBENCH_CACHE": str(tmp_path)})
    folder = pathlib.Path(value["folder"])
    assert folder.parent == tmp_path / "profiles" and folder.name.startswith("aten.softmax-" + value["source_hash"][:12])


def test_a_candidate_that_does_not_pass_is_not_profiled(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(expert("aten::neg").read_text().replace("triton.cdiv(numel, 1024)", "triton.cdiv(numel // 2, 1024)"))
    done = kgbench("profile", mine, "--op", "neg", "--out", tmp_path / "out", *QUICK, *CHIP, env=STANDIN)
    assert (done.code, done.out) == (1, "") and not (tmp_path / "out").exists()
    assert done.err.startswith(f"error: {mine} does not pass: wrong_value: return[") and done.err.count("\n") == 1
    assert done.err.endswith(f"kgbench judge {mine} --op aten::neg has all\n")


MISTAKES = [
    (["none.py", "--op", "neg"], "none.py"), (["mine.py", "--op", "ngg"], "no operator"),
    (["mine.cpp", "--op", "neg"], "use perf"), (["mine.py", "--op", "reshape"], "aten::reshape has no kernel"),
    (["mine.py", "--op", "neg", "--only", "s999"], "no workload 's999'"),
    (["mine.py", "--op", "neg", "--time-spec", "self=f32[3]", "--time-spec", "self=f32[4]"], "one workload is profiled"),
    (["mine.py", "--op", "neg", "--chip", "h20"], "'h20'"), (["mine.py"], "--op is required")]


@pytest.mark.parametrize("arguments, says", MISTAKES)
def test_a_mistake_is_one_line(tmp_path, arguments, says):
    for name in ("mine.py", "mine.cpp"):
        (tmp_path / name).write_text(expert("aten::neg").read_text())
    done = kgbench("profile", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, ""), done.err
    assert done.err.startswith("error: ") and says in done.err and done.err.count("\n") == 1


def test_ncu_that_is_named_and_not_there_is_a_mistake(tmp_path):
    done = kgbench("profile", expert("aten::softmax"), *SOFTMAX, "--out", tmp_path / "out", *QUICK, *CHIP,
                   env={**STANDIN, "KGBENCH_NCU": "/nowhere/ncu"})
    assert (done.code, done.err) == (2, "error: KGBENCH_NCU names '/nowhere/ncu', which is no program\n")
