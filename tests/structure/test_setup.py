# SPDX-License-Identifier: Apache-2.0
"""tools/setup.sh: an environment is made once, a half-made one never used, and without a network PATH is searched.
Runs a copy of tools/ beside requirement files that ask for nothing, so that no package is fetched."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def setup(tmp_path):
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    (tmp_path / "requirements").mkdir()
    for name in ("runtime", "test", "constraints"):
        (tmp_path / "requirements" / f"{name}.txt").write_text("")
    return Setup(tmp_path)


class Setup:
    def __init__(self, root):
        self.root, self.venv = root, root / "venv"

    def judge(self, **more):
        env = {**os.environ, "KGBENCH_VENV": str(self.venv), "PIP_NO_INDEX": "1", **more}
        env.pop("KGBENCH_PYTHON" if "KGBENCH_PYTHON" not in more else "", None)
        done = subprocess.run([str(self.root / "tools/setup.sh"), "judge"], capture_output=True, text=True, env=env)
        return done.returncode, done.stdout + done.stderr

    def python(self):
        return (self.root / "build/python").read_text().strip()


def test_an_environment_is_made_once(setup):
    code, said = setup.judge()
    assert code == 0 and f"make {setup.venv}" in said
    assert setup.python() == f"{setup.venv}/bin/python"
    code, said = setup.judge()
    assert code == 0 and "is whole" in said and "make" not in said


def test_a_half_made_environment_is_made_anew(setup):
    (setup.venv / "bin").mkdir(parents=True)
    (setup.venv / "bin/python").write_text("half of it")
    code, said = setup.judge()
    assert code == 0, said
    assert subprocess.run([setup.python(), "-c", ""]).returncode == 0
    assert (setup.venv / ".complete").exists()


def test_an_environment_is_readable_to_everyone(setup):
    setup.judge()
    unreadable = [path for path in setup.venv.rglob("*") if not path.is_symlink() and path.stat().st_mode & 0o044 != 0o044]
    assert unreadable == []


def test_a_failed_installation_falls_back_to_a_python_on_path_that_has_what_is_needed(setup, tmp_path):
    (setup.root / "requirements/test.txt").write_text("no-package-of-this-name==1\n")
    found = tmp_path / "bin"
    found.mkdir()
    (found / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (found / "python3").chmod(0o755)
    code, said = setup.judge(PATH=f"{found}:{os.environ['PATH']}")
    assert code == 0, said
    assert f"using {found}/python3" in said
    assert setup.python() == f"{found}/python3"
    assert not (setup.venv / ".complete").exists()


def test_an_interpreter_that_lacks_torch_is_refused_when_named(setup):
    code, said = setup.judge(KGBENCH_PYTHON="/usr/bin/false")
    assert code == 3
    assert "error: KGBENCH_PYTHON=/usr/bin/false lacks torch 2.11, triton 3.6 or numpy" in said


def test_a_machine_that_lacks_every_package_gets_them_all(setup, tmp_path):
    # The title of the step lists them; no name made from it may grow with the list.
    found = tmp_path / "bin"
    found.mkdir()
    for name, text in {"dpkg-query": "exit 1", "id": "echo 0", "apt-get": 'echo "$@" >>"$ASKED"'}.items():
        (found / name).write_text(f"#!/bin/sh\n{text}\n")
        (found / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{found}:{os.environ['PATH']}", "ASKED": str(tmp_path / "asked"),
           "KGB_MORE_PACKAGES": " ".join(f"package-number-{i}" for i in range(50))}
    done = subprocess.run([str(setup.root / "tools/setup.sh"), "packages"], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    wanted = [line for line in (ROOT / "tools/packages.txt").read_text().splitlines() if not line.startswith("#")]
    asked = (tmp_path / "asked").read_text().split()
    assert {*wanted, "package-number-49"} <= set(asked)


def test_an_unbuilt_tree_says_what_to_do(setup):
    shutil.copy(ROOT / "kgbench", setup.root / "kgbench")
    done = subprocess.run([str(setup.root / "kgbench"), "list"], capture_output=True, text=True)
    assert done.returncode == 3
    assert "error: kgbench is not built yet. Run `make build`" in done.stderr
