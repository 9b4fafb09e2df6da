# SPDX-License-Identifier: Apache-2.0
"""Whole scripts, written for a GPU, run without one; each checks its own results."""
import pytest
from conftest import SCRIPTS

GOOD = sorted(path.stem for path in SCRIPTS.glob("*.py") if path.stem not in ("out_of_bounds",))


@pytest.mark.parametrize("script", GOOD)
def test_script_runs_and_agrees_with_torch(kgvm, script):
    done = kgvm(SCRIPTS / f"{script}.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("ok"), done.stdout


def test_times_are_said_to_be_no_gpu_times_once(kgvm):
    done = kgvm(SCRIPTS / "benchmark.py")
    assert done.stderr.count("They say nothing about a GPU") == 1


def test_all_configurations_run_when_asked(kgvm):
    done = kgvm(SCRIPTS / "tuning.py", KGVM_AUTOTUNE="all")
    assert done.returncode == 0, done.stderr
    # Trials of 64 and 32, then the launch that counts, of the first that ran.
    assert done.stdout.splitlines()[-1] == "ok [64, 32, 64]"
