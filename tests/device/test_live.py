# SPDX-License-Identifier: Apache-2.0
"""The proof suite on this machine's GPU against the recorded results: what a new driver, Triton or chip changes."""

import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parent))
import agreement  # noqa: E402
import cases  # noqa: E402
import record  # noqa: E402

pytestmark = pytest.mark.gpu
RECORDED = {family: agreement.read(family) for family in cases.FAMILIES}


@pytest.mark.parametrize("case", cases.CASES, ids=lambda case: f"{case.family}-{case.name}")
def test_this_gpu_agrees_with_the_recorded_one(case):
    found = agreement.compare(case, RECORDED[case.family][case.name], record.run(case))
    assert agreement.holds(case, found), f"{found.ulps} ulps, {case.ulps} are allowed: {found.message}"
