# SPDX-License-Identifier: Apache-2.0
"""Lets the tests of this folder import their harness wherever pytest was started."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
