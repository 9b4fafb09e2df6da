# SPDX-License-Identifier: Apache-2.0
"""Small reads of the candidate's own intermediates, where its card allows them: docs/contracts/plan.md.

There is no device here, so the first time that host code asks, the call ends: its plan up to there is run by the
judge, and the same call is made again in a new process with the bytes at hand.
"""

import math

import torch

from . import nodes

MOST_BYTES = 256  # of a call; src/model/launch_plan.hpp has the same
MOST_READS = 4    # of a call: each costs the judge another recording
NOT_READ = frozenset(("f8e4m3", "f8e5m2", "f16", "bf16", "f32", "f64", "c64", "c128"))


class Wanted(BaseException):
    """Ends a call whose host code wants bytes that are not known yet. No Exception: host code must not go on."""


class OwnReads:
    """What one call has read so far, and what it is known to read."""

    def __init__(self):
        self.begin(False, ())

    def begin(self, allowed, known):
        """A new call. `known`: the bytes of its first reads."""
        self.allowed, self.known = allowed, list(known)
        self.count = self.bytes = 0
        self.wanted = None  # steps and events of the call once it wants a read, which is the last step

    def refusal(self, view):
        """Why host code may not read this view, as the end of a sentence; None when it may."""
        if view.buffer.kind != "alloc":
            return ""
        if not self.allowed:
            return " of an intermediate of its own"
        if view.dtype in NOT_READ:
            return f" of an intermediate of type {view.dtype}; integers and booleans may be read"
        size = size_of(view)
        if self.count == MOST_READS or self.bytes + size > MOST_BYTES:
            return (f" of {size} bytes of an intermediate, after {self.count} reads of {self.bytes} bytes; a call may "
                    f"read {MOST_READS} times and {MOST_BYTES} bytes")
        return None

    def read(self, recorder, view, op):
        """The view's elements as a CPU tensor; ends the call when they are not known."""
        size = size_of(view)
        known = self.known[self.count] if self.count < len(self.known) else None
        if known is not None and len(known) != size:
            known = None  # host code took another course than before: the judge sees that it asks again
        self.count += 1
        self.bytes += size
        recorder.add(nodes.Read(view, known, op, recorder.where()))
        if known is None:
            self.wanted = self.wanted or (list(recorder.nodes), list(recorder.events))
            raise Wanted
        return torch.frombuffer(bytearray(known), dtype=nodes.DTYPES[view.dtype]).reshape(view.shape)


def size_of(view):
    return math.prod(view.shape) * nodes.DTYPES[view.dtype].itemsize
