# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer in the gate correct, on the driver's stand-in and with a stand-in of the tool: it starts what it is
given, as the tool does, and writes the report that the test wants."""
import json
import os
import stat
import sys

import pytest
from conftest import HOME, expert, kgbench

CHIP = ["--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip", "standin", "--target", "none"]
OP = "aten::neg"
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
STRAY = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at {kernel}+0x4b0 in candidate.py:24
=========     by thread (31,0,0) in block (7,0,0)
=========     Access to 0x7f0a1e400000 is out of bounds
=========     and is 1,048,577 bytes after the nearest allocation at 0x7f0a1e200000 of size 1,048,576 bytes
=========
========= ERROR SUMMARY: 1 error
"""
TOOL = """#!{python}
import json, pathlib, subprocess, sys
here = pathlib.Path(__file__).parent
options, command = {{}}, sys.argv[1:]
while command[0].startswith("--"):
    options[command[0]] = command[1]
    command = command[2:]
done = subprocess.run(command, capture_output=True, text=True)
(here / "seen").write_text(json.dumps([options, command, done.returncode, done.stdout]))
sys.stdout.write(done.stdout)
report = here / "report"
if report.exists():
    pathlib.Path(options["--log-file"]).write_text(report.read_text())
sys.exit(done.returncode if report.exists() else 255)
"""


@pytest.fixture
def tool(tmp_path):
    file = tmp_path / "tool" / "compute-sanitizer"
    file.parent.mkdir()
    file.write_text(TOOL.format(python=sys.executable))
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return file


def judge(*options, **environment):
    env = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"], "PATH": "/usr/bin:/bin", **environment}
    return kgbench("judge", expert(OP), "--op", OP, "--tier", "smoke", "--value-sets", "1", "--seed", "5eed", "--no-time",
                   "--json", *CHIP, *options, env=env)


def evaluation(done):
    assert done.code in (0, 1), done.err
    return json.loads(done.out)


def test_plans_that_are_clean_pass_and_ran_with_every_buffer_apart(tool):
    (tool.parent / "report").write_text(CLEAN)
    told = evaluation(judge(KGBENCH_COMPUTE_SANITIZER=str(tool)))
    assert told["verdict"] == "pass", told["findings"]
    options, command, code, out = json.loads((tool.parent / "seen").read_text())
    plans = command.count("--replay")
    assert plans > 1 and told["memcheck"] == f"no error in {plans} plans"
    assert options["--tool"] == "memcheck" and "--apart" in command
    assert code == 0 and len(out.splitlines()) == plans, "each plan was replayed"


def test_a_stray_access_of_the_candidates_kernel_is_its_own(tool):
    (tool.parent / "report").write_text(STRAY.format(kernel="neg_kernel"))
    told = evaluation(judge(KGBENCH_COMPUTE_SANITIZER=str(tool)))
    assert told["verdict"] == "runtime_error"
    finding = told["findings"][0]
    assert finding["kind"] == "out_of_bounds" and finding["line"] == 24 and finding["file"].endswith("expert.py")
    assert finding["message"] == ("kernel neg_kernel: a write of 4 bytes at 0x7f0a1e400000, 1,048,577 bytes after the nearest "
                                  "allocation, of size 1,048,576 bytes, seen by compute-sanitizer")
    assert finding["details"]["address"] == "0x7f0a1e400000" and finding["details"]["bytes"] == "4"


@pytest.mark.parametrize("report, says", [
    (STRAY.format(kernel="kgb_copy4"), "cannot tell: it reports a write of 4 bytes"),
    ("========= COMPUTE-SANITIZER\n========= Error: Device not supported.\n", "cannot tell: Error: Device not supported."),
    ("", "cannot tell: its report has no end"),
    (None, "cannot tell: it exited with code 255"),
])
def test_what_is_the_tools_own_fault_is_told_and_blamed_on_nobody(tool, report, says):
    if report is not None:
        (tool.parent / "report").write_text(report)
    told = evaluation(judge(KGBENCH_COMPUTE_SANITIZER=str(tool)))
    assert told["verdict"] == "pass", told["findings"]
    assert told["memcheck"].startswith(says)


def test_without_the_tool_the_evidence_says_so():
    told = evaluation(judge())
    assert told["verdict"] == "pass" and told["memcheck"] == "not installed"


@pytest.mark.parametrize("options", [["--memcheck", "off"], ["--profile", "quick"]])
def test_it_is_left_out_where_it_is_not_wanted(tool, options):
    told = evaluation(judge(*options, KGBENCH_COMPUTE_SANITIZER=str(tool)))
    assert "memcheck" not in told and not (tool.parent / "seen").exists()


def test_quick_takes_it_where_it_is_asked_for(tool):
    (tool.parent / "report").write_text(CLEAN)
    told = evaluation(judge("--profile", "quick", "--memcheck", "on", KGBENCH_COMPUTE_SANITIZER=str(tool)))
    assert told["memcheck"].startswith("no error in ")


@pytest.mark.parametrize("options, environment, says", [
    (["--memcheck", "on"], {}, "--memcheck on: compute-sanitizer was not found"),
    ([], {"KGBENCH_COMPUTE_SANITIZER": "/none/such"}, "KGBENCH_COMPUTE_SANITIZER names '/none/such', which is no program"),
])
def test_a_tool_that_is_wanted_and_not_there_is_a_line(options, environment, says):
    done = judge(*options, **environment)
    assert done.code == 2 and says in done.err and done.err.count("\n") == 1
