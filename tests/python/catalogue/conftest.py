# SPDX-License-Identifier: Apache-2.0
"""Puts the helpers of this folder and, where the caller did not, the Python package on the path."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[2] / "python"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def pytest_addoption(parser):
    parser.addoption("--shard", default="1/1", help="K/N: every N-th test, beginning with the K-th")


def pytest_collection_modifyitems(config, items):
    part, of = (int(n) for n in config.getoption("--shard").split("/"))
    items[:] = items[part - 1::of]
