# SPDX-License-Identifier: Apache-2.0
"""A constant that stands for inputs without elements needs no kernel; for any other input it does."""
import pytest
from conftest import FAST, kgbench

CANDIDATE = """
import torch


def sum(self, *, dtype=None):
    return torch.zeros((), dtype=dtype or self.dtype, device=self.device)
"""


@pytest.mark.parametrize("shape, said", [("0,3", "pass"), ("2,3", "not_custom")])
def test_a_fill_is_the_answer_to_nothing_alone(tmp_path, shape, said):
    file = tmp_path / "sum.py"
    file.write_text(CANDIDATE)
    domain = "@zeros" if said != "pass" else ""
    done = kgbench("judge", file, "--op", "aten::sum", "--workload-spec", f"self=f32[{shape}]{domain}", *FAST)
    assert done.out.splitlines()[0].split()[-1] == said, done.out + done.err
