# SPDX-License-Identifier: Apache-2.0
"""Random small kernels give on the machine what they give in torch and, some of them, under Triton's interpreter."""
import os
import subprocess
import sys

import pytest
import random_kernels


@pytest.mark.parametrize("seed", range(40))
def test_the_machine_agrees_with_torch(seed, tmp_path):
    assert random_kernels.disagreement(seed, tmp_path, random_kernels.on_machine) == ""


def test_the_interpreter_agrees_with_torch():
    seeds = [str(seed) for seed in range(0, 40, 5)]
    child = subprocess.run([sys.executable, random_kernels.__file__, "--interpret", *seeds], text=True,
                           env=os.environ | {"TRITON_INTERPRET": "1"}, stdout=subprocess.PIPE)
    assert (child.returncode, child.stdout.strip()) == (0, "")


def test_a_difference_is_told(tmp_path, monkeypatch):
    original = random_kernels.expected

    def spoilt(kernel, tensors, n):
        results = original(kernel, tensors, n)
        results[0][5] += 1
        return results

    monkeypatch.setattr(random_kernels, "expected", spoilt)
    assert "element 5 of i32" in random_kernels.disagreement(3, tmp_path, random_kernels.on_machine)
