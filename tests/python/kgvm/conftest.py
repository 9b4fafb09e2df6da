# SPDX-License-Identifier: Apache-2.0
"""Runs scripts in processes of their own, as users do; skips this folder where a part is missing."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("triton")
pytest.importorskip("kgbench._kgbench")

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture(scope="session")
def triton_cache(tmp_path_factory):
    return tmp_path_factory.mktemp("triton")


@pytest.fixture
def python(triton_cache):
    """python(arguments..., SETTING=value): runs this interpreter; KGVM_* of the surroundings are left out."""
    def run(*arguments, **environment):
        kept = {k: v for k, v in os.environ.items() if not k.startswith("KGVM") and k != "TRITON_INTERPRET"}
        kept |= {"TRITON_CACHE_DIR": str(triton_cache), "KGVM_THREADS": "2", **environment}
        return subprocess.run([sys.executable, *map(str, arguments)], env=kept, capture_output=True, text=True, timeout=600)

    return run


@pytest.fixture
def kgvm(python):
    """kgvm(arguments...): python -m kgbench.kgvm."""
    return lambda *arguments, **environment: python("-m", "kgbench.kgvm", *arguments, **environment)


def line_of(path, text):
    """The number of the only line of a file that holds `text`."""
    found = [number for number, line in enumerate(Path(path).read_text().splitlines(), 1) if text in line]
    assert len(found) == 1, found
    return found[0]
