# SPDX-License-Identifier: Apache-2.0
"""kgbench compare of two candidates: timed in turns on the driver's stand-in and on the host, counted on the virtual
machine, and every way to ask for it wrongly."""
import json
import os

import pytest
import schema
from conftest import HOME, expert, kgbench

STANDIN = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"]}
CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin"]
QUICK = ["--tier", "smoke", "--seed", "5eed"]
DOCUMENT = json.loads((HOME / "docs" / "versus.schema.json").read_text())
NEG = expert("aten::neg").read_text()
SOFTMAX_CPP = (HOME / "catalogue" / "operators" / "aten" / "softmax" / "expert.cpp").read_text()
ENTRY = 'extern "C" int kgb_softmax(const KgbCall* call) {'


def neg(numel="numel", block=1024):
    """The expert of aten::neg with another block, and as many elements as `numel` says."""
    grid = "triton.cdiv(numel, 1024)"
    assert grid in NEG and "BLOCK=1024" in NEG
    return NEG.replace(grid, f"triton.cdiv({numel}, {block})").replace("BLOCK=1024", f"BLOCK={block}")


def softmax_cpp(first_lines=""):
    assert ENTRY in SOFTMAX_CPP
    return "#include <unistd.h>\n" + SOFTMAX_CPP.replace(ENTRY, ENTRY + "\n" + first_lines)


@pytest.fixture
def pair(tmp_path):
    """Writes two candidates and gives their paths."""
    def write(old, new, suffix=".py"):
        files = [tmp_path / ("old" + suffix), tmp_path / ("new" + suffix)]
        for file, text in zip(files, (old, new)):
            file.write_text(text)
        return files
    return write


def document(done):
    value = json.loads(done.out)
    assert schema.errors(value, DOCUMENT) == []
    return value


def test_on_a_device_the_two_take_turns(pair):
    old, new = pair(neg(), neg(block=512))
    done = kgbench("compare", old, new, "--op", "neg", "--time-spec", "self=f32[64,128]", "--time-spec", "self=f16[3000]",
                   "--json", *QUICK, *CHIP, env=STANDIN)
    assert done.code == 0, done.out + done.err
    value = document(done)
    assert (value["measure"], value["chip"]) == ("time", "standin")
    assert [row["workload"] for row in value["workloads"]] == ["t0", "t1"]
    for row in value["workloads"]:
        time = row["time"]
        assert time["old_s"] > 0 and time["new_s"] > 0 and time["low"] <= time["ratio"] <= time["high"]
        assert row["description"].startswith("self f")
    overall = value["overall"]
    assert overall["workloads"] == 2 and overall["low"] <= overall["ratio"] <= overall["high"]


def test_cpp_candidates_are_timed_on_the_host(pair):
    # A pause of two milliseconds is more than any noise of this machine.
    old, new = pair(softmax_cpp("usleep(2000);"), softmax_cpp(), ".cpp")
    done = kgbench("compare", old, new, "--op", "softmax", "--workload-spec", "self=f32[3,130] dim=1", "--json", *QUICK)
    assert done.code == 0, done.out + done.err
    [row] = document(done)["workloads"]
    assert row["time"]["call"] == "faster" and row["time"]["low"] > 1.5
    done = kgbench("compare", new, old, "--op", "softmax", "--workload-spec", "self=f32[3,130] dim=1", "--time-spec",
                   "self=f32[7,90] dim=1", *QUICK, "--fail-on-regression")
    assert done.code == 1, done.out + done.err
    lines = done.out.splitlines()
    assert lines[0] == f"aten::softmax  {new} -> {old}  chip cpu, seed 0000000000005eed"
    assert lines[1] == "  t0: self f32[7,90], dim=1"
    assert lines[2].endswith("   slower") and "x [0." in lines[2]
    assert lines[3].startswith("overall  0.") and lines[3].endswith("   slower   geometric mean of 1 of 1 workload")
    assert lines[4] == f"ratios are old time over new: above 1 {old} is faster"


def test_a_cpp_baseline_that_goes_wrong_while_timed_gives_no_ratio(pair):
    wrong = softmax_cpp("if (call->args[0].tensor->shape[0] == 7) return 0;")
    old, new = pair(wrong, softmax_cpp(), ".cpp")
    done = kgbench("compare", old, new, "--op", "softmax", "--workload-spec", "self=f32[3,130] dim=1", "--time-spec",
                   "self=f32[7,90] dim=1", *QUICK)
    assert done.code == 0, done.out + done.err
    assert f"    cannot tell: the baseline {old} is wrong: uninitialised_output: " in done.out
    assert "overall  cannot tell: no workload has a ratio\n" in done.out


def test_the_judge_takes_a_cpp_baseline_too(pair):
    old, new = pair(softmax_cpp("usleep(2000);"), softmax_cpp(), ".cpp")
    done = kgbench("judge", new, "--op", "softmax", "--workload-spec", "self=f32[3,130] dim=1", "--baseline", old, "--json")
    assert done.code == 0, done.out + done.err
    [timing] = json.loads(done.out)["timings"]
    assert timing["baseline_name"] == str(old) and timing["call"] == "faster"


def test_without_a_gpu_the_work_of_both_is_counted(pair):
    old, new = pair(neg(block=256), neg())
    spec = ["--op", "neg", "--workload-spec", "self=f32[4096]", "--chip", "cpu", *QUICK]
    done = kgbench("compare", old, new, *spec)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[1] == "  no times: the virtual machine of chip cpu is no clock. What follows is work as it counts it"
    assert lines[2].endswith(": self f32[4096]")
    assert "    unique bytes              32,768 ->          32,768   1.000x" in lines
    assert "    programs                      16 ->               4   4.000x" in lines
    assert lines[-2].startswith("overall  FLOPs 1.000x") and "programs 4.000x" in lines[-2]
    assert lines[-1].endswith("Work is not time: on a GPU the same command takes times")
    value = document(kgbench("compare", old, new, *spec, "--json"))
    assert value["measure"] == "work"
    assert value["workloads"][0]["work"]["programs"] == {"old": 16, "new": 4, "ratio": 4}
    assert value["overall"]["programs"] == {"workloads": 1, "ratio": 4}


def test_shapes_of_time_spec_are_judged_where_they_are_counted(pair):
    old, new = pair(neg(), neg("numel if numel < 5000 else numel // 2"))
    done = kgbench("compare", old, new, "--op", "neg", "--workload-spec", "self=f32[100]", "--time-spec", "self=f32[6000]",
                   "--chip", "cpu", *QUICK)
    assert done.code == 1
    assert f"  {old}  pass\n  {new}  wrong_value: return[" in done.out


@pytest.mark.parametrize("first", [True, False])
def test_the_one_that_does_not_pass_is_named_with_its_finding(pair, first):
    wrong, right = neg("numel // 2"), neg()
    old, new = pair(*((wrong, right) if first else (right, wrong)))
    done = kgbench("compare", old, new, "--op", "neg", "--chip", "cpu", "--json", *QUICK)
    assert done.code == 1, done.err
    value = document(done)
    assert [value[side]["verdict"] for side in ("old", "new")] == (["wrong_value", "pass"] if first else ["pass", "wrong_value"])
    assert value["old" if first else "new"]["reason"]["kind"] and value["workloads"] == [] and value["overall"] is None
    text = kgbench("compare", old, new, "--op", "neg", "--chip", "cpu", *QUICK).out
    assert f"  {old if first else new}  wrong_value: return[" in text and "no ratios: both must pass" in text


MISTAKES = [
    (["old.py", "new.py"], "of which operator are old.py and new.py? Name it with --op"),
    (["old.py", "new.py", "--op", "ngg"], "no operator"),
    (["old.py", "."], "candidates and runs cannot be compared with each other"),
    (["old.py", "--op", "neg"], "two candidates are compared, the old one and the new one; 1 are named"),
    (["old.py", "new.py", "old.py", "--op", "neg"], "3 are named"),
    (["old.py", "other.cpp", "--op", "neg"], "old.py and other.cpp are of two languages"),
    (["old.py", "none.py", "--op", "neg"], "none.py"),
    (["old.py", "new.py", "--op", "reshape"], "aten::reshape has no kernel that could be compared"),
    (["old.py", "new.py", "--op", "neg", "--only", "s999"], "aten::neg has no workload 's999'"),
    (["old.py", "new.py", "--op", "neg", "--time-spec", "slf=f32[3]"], "slf"),
    (["old.py", "new.py", "--op", "neg", "--fail-on-regression", "--chip", "cpu"], "--fail-on-regression needs times"),
    (["old.py", "new.py", "--op", "neg", "--chip", "h20"], "'h20'"),
    ([".", ".", "--op", "neg"], "--op goes with two candidates (old.py new.py); these are runs"),
    ([".", ".", "--only", "s1"], "--only goes with two candidates"),
]


@pytest.mark.parametrize("arguments, says", MISTAKES)
def test_a_mistake_is_one_line(tmp_path, arguments, says):
    for name in ("old.py", "new.py", "other.cpp"):
        (tmp_path / name).write_text(neg())
    done = kgbench("compare", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, ""), done.err
    assert done.err.startswith("error: ") and says in done.err and done.err.count("\n") == 1
