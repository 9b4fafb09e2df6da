# SPDX-License-Identifier: Apache-2.0
"""Puts the helpers of this folder and, where the caller did not, the Python package on the path."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[2] / "python"):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
