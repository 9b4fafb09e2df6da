# SPDX-License-Identifier: Apache-2.0
"""The compiler process: turns a plan's TTIR into the code of a target, without that target's device."""
