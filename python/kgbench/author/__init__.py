# SPDX-License-Identifier: Apache-2.0
"""The locked-down side of kgbench: runs a candidate's host code and records its launch plan."""
