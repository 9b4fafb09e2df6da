# SPDX-License-Identifier: Apache-2.0
"""TTIR of neighbouring Triton releases: recorded text is read, runs, and gives what the installed release gives."""
import os
from pathlib import Path

import pytest
import release_kernels
import torch
from kgbench import _kgbench

RECORDED = Path(__file__).parents[2] / "data" / "ttir"
RELEASES = sorted(p.name for p in RECORDED.iterdir())
PAGE = Path(os.environ.get("KGBENCH_HOME", Path(__file__).parents[3])) / "docs" / "vm-operations.md"


def run(text, n, programs):
    generator = torch.Generator().manual_seed(2)
    x, y = torch.randn(2048, generator=generator), torch.randn(2048, generator=generator)
    out = torch.zeros(2048)
    buffers = [(name, t.data_ptr(), t.numel() * 4, True) for name, t in (("x", x), ("y", y), ("out", out))]
    result = _kgbench.vm_run(text, (programs, 1, 1), [("ptr", 0, 0), ("ptr", 1, 0), ("ptr", 2, 0), n], buffers)
    assert result["findings"] == [], result["findings"]
    return out


@pytest.mark.parametrize("name", list(release_kernels.CASES))
@pytest.mark.parametrize("release", RELEASES)
def test_recorded_text_runs_alike(release, name):
    kernel, n, block, programs = release_kernels.CASES[name]
    text = (RECORDED / release / f"{name}.ttir").read_text(encoding="utf-8")
    here = run(release_kernels.compile_to_ttir(kernel, block), n, programs)
    assert here.any() and torch.equal(run(text, n, programs), here)


def test_the_table_of_releases():
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("## Triton releases"):]
    listed = [line.split("|")[1].strip(" `") for line in table.splitlines() if line.startswith("| `")]
    assert sorted(listed) == sorted([*RELEASES, "3.6.0"])
    for release in RELEASES:
        assert sorted(p.stem for p in (RECORDED / release).iterdir()) == sorted(release_kernels.CASES)
