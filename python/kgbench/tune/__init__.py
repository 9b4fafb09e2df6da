# SPDX-License-Identifier: Apache-2.0
"""What can be tuned in a kernel's source without changing what it computes, and the source of each choice."""
from .source import Unreadable
from .space import Axis, rewritten, space_of

__all__ = ["Axis", "Unreadable", "rewritten", "space_of"]
