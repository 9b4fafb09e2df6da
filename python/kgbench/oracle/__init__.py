# SPDX-License-Identifier: Apache-2.0
"""The oracle: expected values in fp64 for every call. References import Expected and round_to from here."""
from kgbench.oracle.api import Expected, round_to

__all__ = ["Expected", "round_to"]
