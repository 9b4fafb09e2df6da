# SPDX-License-Identifier: Apache-2.0
"""python -m kgbench: the same as the kgbench command."""
from kgbench.launcher import main

main()
