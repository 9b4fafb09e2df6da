# SPDX-License-Identifier: Apache-2.0
"""The plug-in as an installed package has it: found by Triton's entry points, active where no GPU is."""
import textwrap
from pathlib import Path

import pytest
import torch
from conftest import SCRIPTS

ROOT = Path(__file__).resolve().parents[3]
ADD = """\
import torch
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)

def run(device):
    x = torch.rand(1000, device=device)
    out = torch.empty_like(x)
    add[(4,)](x, x, out, 1000, B=256)
    assert torch.equal(out, x + x)
    print(device, out.device, triton.runtime.driver.active.get_active_torch_device())
"""


@pytest.fixture
def installed(python, tmp_path):
    """installed(text): runs a script where the entry points of pyproject.toml are registered, as pip would."""
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    info = tmp_path / "site" / "kgbench-0.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: kgbench\nVersion: 0.0\n")
    (info / "entry_points.txt").write_text("".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in rows.items()) for group, rows in entries.items()))

    def run(text, **environment):
        path = tmp_path / "script.py"
        prelude = f"import sys\nsys.path.insert(0, {str(info.parent)!r})\n"
        path.write_text(prelude + text)
        return python(path, **environment)

    return run


tomllib = pytest.importorskip("tomllib")
no_gpu = pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")


@no_gpu
def test_plain_import_is_enough(installed):
    done = installed(ADD + "run('cpu'); run('cuda')\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "cpu cpu cuda:0\ncuda cuda:0 cuda:0\n"
    assert done.stderr.count("KGVM=0 turns this off") == 1


@no_gpu
def test_triton_before_torch(installed):
    done = installed("import triton\n" + ADD + "run('cuda')\n")
    assert done.returncode == 0, done.stderr


@no_gpu
def test_it_can_be_refused(installed):
    done = installed(ADD + "assert not torch.cuda.is_available()\nrun('cpu')\n", KGVM="0")
    assert done.returncode == 1 and "0 active drivers" in done.stderr


def test_it_can_be_asked_for(installed):
    done = installed(ADD + "run('cuda')\n", KGVM="1")
    assert done.returncode == 0, done.stderr
    assert "KGVM=0" not in done.stderr


@no_gpu
def test_torchs_own_import_of_triton_maps_nothing(installed):
    done = installed("""\
import torch
exec(compile("import triton", "inductor", "exec"), {"__name__": "torch._inductor.some"})
assert not torch.cuda.is_available() and torch.zeros(1).device.type == "cpu"
""" + ADD + "run('cpu')\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "cpu cpu cpu\n"


def test_activate_in_a_running_process(python, tmp_path):
    path = tmp_path / "late.py"
    path.write_text("import kgbench.kgvm\nkgbench.kgvm.activate(on_finding='warn')\n" + ADD + textwrap.dedent("""
        run('cuda')
        add[(8,)](torch.rand(10, device='cuda'), torch.rand(10, device='cuda'), torch.rand(10, device='cuda'), 12, B=16)
        print(kgbench.kgvm.is_active(), [(f.kind, f.argument) for f in kgbench.kgvm.findings()])
        kgbench.kgvm.activate()
        try:
            kgbench.kgvm.activate(speed=3)
        except ValueError as error:
            print(error)
    """))
    done = python(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1] == "True [('out_of_bounds', 'x')]", done.stdout
    assert "there is no setting 'speed'" in done.stdout


def test_the_interpreter_is_left_alone(installed):
    done = installed(ADD + "x = torch.ones(4); add[(1,)](x, x, x, 4, B=4); print(x.tolist())\n",
                     TRITON_INTERPRET="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[2.0, 2.0, 2.0, 2.0]\n"


def test_scripts_by_the_entry_point_alone(installed):
    done = installed(f"import runpy\nrunpy.run_path({str(SCRIPTS / 'matmul.py')!r}, run_name='__main__')\n", KGVM="1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ok")
