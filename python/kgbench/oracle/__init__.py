# SPDX-License-Identifier: Apache-2.0
"""The oracle: the trusted process that computes what a call must give, in fp64, complex128 or exact integers."""

from kgbench.oracle.api import Expected, round_to

__all__ = ["Expected", "round_to"]
