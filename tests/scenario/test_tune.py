# SPDX-License-Identifier: Apache-2.0
"""Tuning from the command line, on the driver's stand-in: one candidate is timed against another, kernels are searched.
How fast anything is there says nothing, so nothing here depends on it."""
import json
import os
import sqlite3

import pytest
from conftest import HOME, expert, kgbench

STANDIN = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"]}
CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin", "--target", "none"]
SMOKE = [*CHIP, "--tier", "smoke", "--seed", "5eed"]

NEG = expert("aten::neg").read_text()


def neg(numel="numel", block=1024):
    """The expert of aten::neg with another block, and as many elements as `numel` says."""
    grid = "triton.cdiv(numel, 1024)"
    assert grid in NEG and "BLOCK=1024" in NEG
    return NEG.replace(grid, f"triton.cdiv({numel}, {block})").replace("BLOCK=1024", f"BLOCK={block}")


# -- one candidate against another -----------------------------------------------------------------------------------
def write(folder, name, text):
    file = folder / name
    file.write_text(text)
    return file


def judged(file, op, *options):
    done = kgbench("judge", file, "--op", op, "--json", *SMOKE, *options, env=STANDIN)
    assert done.code in (0, 1), done.err
    return json.loads(done.out)


def test_a_candidate_is_timed_against_another(tmp_path):
    old = write(tmp_path, "old.py", neg())
    evaluation = judged(expert("aten::neg"), "aten::neg", "--baseline", old, "--time-spec", "self=f32[64,128]",
                        "--time-spec", "self=f16[3000]")
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert [t["workload"] for t in evaluation["timings"]] == ["t0", "t1"]
    for timing in evaluation["timings"]:
        assert timing["baseline_name"] == str(old)
        assert timing["candidate"] > 0 and timing["baseline"] > 0
        assert timing["ratio_low"] <= timing["ratio"] <= timing["ratio_high"]
    assert {w["id"] for w in evaluation["workloads"]} >= {"t0", "t1"}, "they are judged, too"


def test_what_a_timed_call_leaves_is_judged(tmp_path):
    # Right on every smoke workload; on a large tensor half of it is never written.
    mine = write(tmp_path, "mine.py", neg("numel if numel < 100_000 else numel // 2"))
    evaluation = judged(mine, "aten::neg", "--time-spec", "self=f32[120000]")
    assert evaluation["verdict"] == "wrong_value"
    assert evaluation["findings"][0]["workload"] == "t0"
    assert not evaluation["timings"]


def test_a_baseline_that_does_not_pass_is_none(tmp_path):
    old = write(tmp_path, "old.py", neg("numel // 2"))
    done = kgbench("judge", expert("aten::neg"), "--op", "aten::neg", *SMOKE, "--baseline", old, env=STANDIN)
    assert done.code == 2 and done.err.count("\n") == 1
    assert "old.py does not pass: wrong_value" in done.err


def test_a_baseline_needs_a_clock(tmp_path):
    old = write(tmp_path, "old.py", neg())
    done = kgbench("judge", expert("aten::neg"), "--op", "aten::neg", "--chip", "cpu", "--baseline", old)
    assert done.code == 2 and "clock" in done.err


# -- tuning ----------------------------------------------------------------------------------------------------------
def tuned(*options):
    done = kgbench("tune", "--json", *SMOKE, *options, env=STANDIN)
    return done, [json.loads(line) for line in done.out.splitlines()]


def test_kernels_are_tuned_by_the_judge_each_with_its_seed_and_workloads(tmp_path):
    seed = write(tmp_path, "mine.py", neg(block=32))
    asked = [{"op": "neg", "seed": str(seed), "time": ["self=f32[65536]"]}, {"op": "aten::floor", "time": ["self=f32[4096]"]},
             {"op": "aten::neg", "seed": str(write(tmp_path, "half.py", neg("numel // 2")))}]
    tasks = write(tmp_path, "tasks.jsonl", "\n\n".join(map(json.dumps, asked)))
    done, rows = tuned("--tasks", tasks, "--rounds", 2, "--out", tmp_path / "out")
    assert done.code == 1 and "of 3 kernels are faster than their seeds" in done.err
    [wrong] = [row for row in rows if "error" in row]
    assert wrong["op"] == "aten::neg" and "does not pass: wrong_value" in wrong["error"]
    found = {row["op"]: row for row in rows if "error" not in row}
    assert set(found) == {"aten::neg", "aten::floor"}
    assert all(row["races"] == 2 and row["axes"] >= 3 and row["wrong"] == 0 and row["verdict"] == "pass"
               and len(row["timings"]) == 1 for row in found.values())
    row, file = found["aten::neg"], tmp_path / "out" / "aten" / "neg.py"
    assert "65536" in row["timings"][0]["workload"]
    assert file.exists() == row["improved"] == bool(row["changes"])
    if row["improved"]:
        assert row["timings"][0]["ratio_low"] > 1 and row["timings"][0]["call"] == "faster"
        assert file.read_text() == row["source"] != seed.read_text()
    else:
        assert row["why"] and row["source"] == seed.read_text()


def test_one_kernel_is_tuned_and_a_seed_that_does_not_pass_is_a_line(tmp_path):
    done, [row] = tuned(write(tmp_path, "mine.py", neg(block=32)), "--op", "neg", "--time-spec", "self=f32[4096]", "--rounds", 1)
    assert done.code == 0, done.err
    assert row["races"] == 1 and row["verdict"] == "pass" and "4096" in row["timings"][0]["workload"]
    done, _ = tuned(write(tmp_path, "half.py", neg("numel // 2")), "--op", "neg", "--rounds", 1)
    assert done.code == 2
    [line] = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert "the seed kernel of aten::neg does not pass: wrong_value" in line


@pytest.mark.parametrize("line, says", [
    ('{"op": "softmx"}', "softmax"), ('{"op": "neg", "tme": []}', "did you mean 'time'"), ("7", "no JSON object"),
    ('{"op": "neg", "time": "x"}', "list of texts"), ("", "no task")])
def test_a_wrong_task_is_a_line(tmp_path, line, says):
    done, rows = tuned("--tasks", write(tmp_path, "tasks.jsonl", line + "\n"))
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1 and not rows


def test_without_a_clock_nothing_is_tuned():
    done = kgbench("tune", "--op", "aten::neg", "--chip", "cpu")
    assert done.code == 2 and "no clock" in done.err and done.err.count("\n") == 1


def test_a_seed_kernel_needs_its_operator(tmp_path):
    done, rows = tuned(write(tmp_path, "mine.py", "x = 1\n"))
    assert done.code == 2 and "--op" in done.err and not rows


# -- as a contestant -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("given, op", [("{0}/mine/aten/neg.py", "aten::neg"), ("dir:{0}/mine", "aten::neg,aten::floor")])
def test_the_contestant_begins_with_the_kernel_that_it_is_given(tmp_path, given, op):
    seed = tmp_path / "mine" / "aten" / "neg.py"
    seed.parent.mkdir(parents=True)
    seed.write_text("def neg(self):\n    return self  # a kernel in which there is nothing to tune\n")
    (seed.parent / "floor.cpp").write_text("// a candidate, but nothing that is tuned\n")
    done = kgbench("run", "--contestant", "tuner", "--seed-kernel", given.format(tmp_path), "--op", op, "--generate-only",
                   "--out", tmp_path / "run", *SMOKE, env=STANDIN)
    assert done.code == 0, done.err
    assert ("no seed kernel for aten::floor" in done.err) == ("floor" in op)
    assert (tmp_path / "run" / "candidates" / "aten" / "neg.py").read_text() == seed.read_text()
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as store:
        [(method,)] = store.execute("SELECT method FROM run")
    assert json.loads(method)["seed_kernel"] == given.format(tmp_path).removeprefix("dir:")


def test_a_seed_that_cannot_be_tuned_leaves_its_item_open_for_the_same_seeds(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    wrong = ["neg", "cos", "sin", "rsqrt", "acosh", "asin", "cosh", "erfc", "log10", "square"]  # as many as end a run elsewhere
    for op in wrong:
        write(mine, op + ".py", f"def {op}(:\n")
    write(mine, "floor.py", "def floor(self):\n    return self\n")
    ops = ",".join("aten::" + op for op in [*wrong, "floor"])
    command = ["run", "--contestant", "tuner", "--op", ops, "--generate-only", *SMOKE]
    done = kgbench(*command, "--seed-kernel", f"dir:{mine}", "--out", tmp_path / "run", env=STANDIN)
    assert done.code == 3, done.err
    assert "Open: aten::neg" in done.out and "does not parse" in done.out
    assert (tmp_path / "run/candidates/aten/floor.py").exists()
    for other in (tmp_path, f"dir:{tmp_path}"):
        done = kgbench("run", "--resume", tmp_path / "run", "--seed-kernel", other, *SMOKE, env=STANDIN)
        assert (done.code, done.err) == (2, f"error: the run was begun with --seed-kernel {mine}; another one would be "
                                         "another run\n")


@pytest.mark.parametrize("contestant, seed, says", [
    ("tuner", "/nowhere", "'/nowhere' is not there"), ("experts", "mine.py", "--seed-kernel is what tuner begins with"),
    ("tuner", str(expert("aten::neg")), "FILE is of one operator: name it with --op, or give dir:PATH"),
    ("tuner", "dir:" + str(HOME / "docs"), "has no seed kernel for any operator asked for")])
def test_a_seed_kernel_that_nobody_can_begin_with_is_a_line(tmp_path, contestant, seed, says):
    for more in ((), ("--dry-run",)):
        done = kgbench("run", "--contestant", contestant, "--seed-kernel", seed, "--out", tmp_path / "run", *SMOKE, *more,
                       env=STANDIN)
        assert done.code == 2 and says in done.err.splitlines()[-1] and done.err.count("error") == 1
        assert not (tmp_path / "run").exists()
