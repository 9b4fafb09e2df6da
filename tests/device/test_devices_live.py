# SPDX-License-Identifier: Apache-2.0
"""The devices of this machine: each passes its probe and is told apart, and where there are several, a stream is spread
over them. `make test-gpu` on a machine with a GPU."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.gpu,
              pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")]


def kgbench(*arguments, given=None, **environment):
    return subprocess.run([os.environ["KGBENCH_BINARY"], *map(str, arguments)], capture_output=True, text=True, timeout=300,
                          input=given, env={**os.environ, "KGBENCH_HOME": str(ROOT), **environment})


def shown():
    """UUIDs as nvidia-smi has them, in CUDA's order where that is by PCI bus."""
    done = subprocess.run(["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader"], capture_output=True, text=True, timeout=60)
    return [line.strip() for line in done.stdout.splitlines() if line.startswith("GPU-")]


def stream(*options, n=1, **environment):
    source = (ROOT / "catalogue" / "operators" / "aten" / "neg" / "expert.py").read_text()
    lines = "".join(json.dumps({"id": i, "op": "aten::neg", "source": source}) + "\n" for i in range(n))
    done = kgbench("judge", "--stream", "--json", "--profile", "quick", "--no-time", "--chip", "nvidia", "--target", "none",
                   *options, given=lines, **environment)
    assert done.returncode == 0, done.stderr
    return [json.loads(line)["evaluation"] for line in done.stdout.splitlines()]


def test_a_sound_device_passes_its_probe():
    done = kgbench("executor", "--probe", "--backend", "cuda")
    assert done.returncode == 0, done.stderr


def test_the_evidence_names_the_device_that_was_shown():
    uuid = shown()[-1]
    [evaluation] = stream(CUDA_VISIBLE_DEVICES=uuid)
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["device"]["uuid"] == uuid.removeprefix("GPU-").replace("-", "")
    assert evaluation["device"]["index"] == 0 and evaluation["device"]["instead_of"] == []


def test_a_stream_is_spread_over_all_devices():
    if len(shown()) < 2:
        pytest.skip("needs two GPUs")
    found = stream("-j", "4", n=8)
    assert [e["verdict"] for e in found] == ["pass"] * 8
    assert len({e["device"]["uuid"] for e in found}) > 1
