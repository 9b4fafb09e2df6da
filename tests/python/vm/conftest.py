# SPDX-License-Identifier: Apache-2.0
"""Prepares Triton for launches on the virtual machine; skips this folder's tests where a part is missing."""
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("triton")
pytest.importorskip("kgbench._kgbench")

import vmlaunch  # noqa: E402

vmlaunch.install()


@pytest.fixture(autouse=True)
def fixed_seed():
    torch.manual_seed(1234)
