# SPDX-License-Identifier: Apache-2.0
"""The `kgbench` command of an installed package: replaces itself by the packaged program, its environment set."""
import os
import sys
from pathlib import Path


def environment(package, base):
    """`base` with what the program needs to find this package's data, extension and interpreter; set names stay."""
    return {"KGBENCH_HOME": str(package / "home"), "KGBENCH_EXT_DIR": str(package), "KGBENCH_PYTHON": sys.executable, **base}


def main():
    package = Path(__file__).resolve().parent
    program = package / "bin" / "kgbench"
    if not program.is_file():
        sys.exit(f"error: {program} is missing: this package was not built by `pip install`. Reinstall kgbench")
    os.execve(program, [str(program), *sys.argv[1:]], environment(package, os.environ))
