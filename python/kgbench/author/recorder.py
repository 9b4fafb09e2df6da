# SPDX-License-Identifier: Apache-2.0
"""The recorder: takes in what host code does on phantom tensors and keeps it as nodes and events."""

import contextlib
import os
import sys
import threading

import torch

from . import nodes, phantom
from .own_reads import OwnReads
from .places import Places

MAX_EVENTS = 1000            # per call; host code in a loop must not fill the memory with evidence
MAX_NODES = 16000            # per call; a recording may hold 65536
MAX_BYTES = 60 << 30         # of one job's buffers; a recording may hold 64 GiB
MAX_TEXT = 500               # of an event
MAX_UPLOAD = 8 << 20         # bytes of one upload that are kept; the policy's cap is far below


class Recorder:
    """State of one author process: the address space, the candidate's files, and the call being recorded."""

    def __init__(self, root, forbid=(), upload_cap=65536, library=()):
        self.space = phantom.AddressSpace()
        self.root = os.path.realpath(root) + os.sep
        self.places = Places([root, *library])
        self.forbid = frozenset(forbid)
        self.upload_cap = upload_cap
        self.job = 0              # imports and jobs are numbered together
        self.call = 0
        self.nodes = []
        self.events = []
        self.uploaded = 0         # bytes in this call
        self.allocated = 0        # bytes in this job
        self.home = 0             # job number of the import that the candidate's module came from
        self.foreign = None       # a buffer of an earlier job that this one touched
        self.implemented = set()  # operators of torch that the candidate has kernels for
        self.libraries = []       # torch.library.Library objects of the candidate
        self.streams = None       # set by cuda_shim
        self.reads = OwnReads()
        self._alive = []          # allocations that host code has not let go of, as far as is known
        self._inputs = {}         # the newest input of this job by path
        self._discarding = 0
        self._lock = threading.RLock()

    @property
    def discarding(self):
        """Inside a trial whose nodes are thrown away."""
        return self._discarding > 0

    def begin(self, job, call, reads_own=False, known_reads=()):
        """Starts a call with empty lists; the ones before stay with whoever took them."""
        self.reads.begin(reads_own, known_reads)
        if job != self.job:
            self.allocated = 0
            self._inputs = {}
        self.job, self.call, self.nodes, self.events, self.uploaded = job, call, [], [], 0

    # -- buffers ---------------------------------------------------------------------------------------------
    def input(self, size, path):
        """The buffer of an argument. As with a device's allocator, its address is that of the call before where no
        tensor of that call is left: what host code remembers by address is then remembered of other values."""
        with self._lock:
            before = self._inputs.get(path)
            if before is not None and before.bytes == size and phantom.released(before):
                buffer = self.space.instead_of(before, self.job, self.call, path)
            else:
                buffer = self.allocate(size, "input", path)
            self._inputs[path] = buffer
            return buffer

    def allocate(self, size, kind="alloc", arg=None):
        with self._lock:
            self.allocated += size
            if self.allocated > MAX_BYTES:
                raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {size} bytes; the workload has "
                                             f"{self.allocated - size} already.")
            buffer = self.space.allocate(size, kind, self.job, self.call, arg)
            if kind == "alloc":
                self._alive.append(buffer)
            return buffer

    def end_call(self):
        """Notes what host code let go of in this call and no step has shown."""
        alive, self._alive = self._alive, []
        for buffer in alive:
            if buffer.freed is None and phantom.released(buffer):
                buffer.freed = nodes.Freed(self.job, self.call, None)
            elif buffer.freed is None:
                self._alive.append(buffer)

    def _note_freed(self, buffers, step):
        """Notes which of the buffers that a step can reach, tables of addresses included, have no tensor any more."""
        if not any(buffer.targets or phantom.released(buffer) for buffer in buffers):
            return
        seen, open_ = set(), list(buffers)
        while open_:
            buffer = open_.pop()
            if buffer in seen:
                continue
            seen.add(buffer)
            open_ += buffer.targets
            if buffer.kind == "alloc" and buffer.freed is None and phantom.released(buffer):
                buffer.freed = nodes.Freed(self.job, self.call, step)

    def view(self, tensor):
        return phantom.view_of(self.space, tensor)

    def pointer(self, address):
        """A Pointer for an address of ours; None for any other integer."""
        found = self.space.find(address)
        return None if found is None else nodes.Pointer(*found)

    # -- what happened ---------------------------------------------------------------------------------------
    def where(self):
        """The innermost frame that is the candidate's, as (file below its folder, line)."""
        frame = sys._getframe(1)
        while frame is not None:
            name = self.places.inside(frame.f_code.co_filename)
            if name is not None:
                return nodes.Where(name, frame.f_lineno)
            frame = frame.f_back
        return nodes.Where("", 0)

    def add(self, node):
        with self._lock:
            buffers = nodes.buffers_of(node)
            for buffer in buffers:
                self.touch(buffer)
            if len(self.nodes) >= MAX_NODES:
                self.unsupported(f"a call with more than {MAX_NODES} launches, fills and copies")
            step = nodes.Step(node) if self._discarding else self.streams.place(node)
            if not self._discarding:
                self._note_freed(buffers, step)
            self.nodes.append(step)

    def touch(self, buffer):
        """Notes the use of a buffer that an earlier job brought: this job's plan cannot stand alone then."""
        if buffer.job not in (self.job, self.home):
            self.foreign = buffer

    def event(self, kind, what, where=None):
        with self._lock:
            if len(self.events) < MAX_EVENTS:
                self.events.append(nodes.Event(kind, nodes.clean_text(what, MAX_TEXT), where or self.where()))

    def unsupported(self, what):
        """Notes what no plan can hold, and raises it into the candidate."""
        self.event("recorder_unsupported", what)
        raise nodes.Unsupported(f"{what} cannot be recorded in a launch plan")

    @contextlib.contextmanager
    def trial(self):
        """Nodes and events inside are thrown away: tuning and self-benchmarks."""
        kept_nodes, kept_events, kept_uploads = self.nodes, self.events, self.uploaded
        self.nodes, self.events = [], []
        self._discarding += 1
        try:
            yield self.nodes
        finally:
            self._discarding -= 1
            self.nodes, self.events, self.uploaded = kept_nodes, kept_events, kept_uploads

    # -- nodes with rules of their own -----------------------------------------------------------------------
    def fill(self, dst, value, op):
        if 0 not in dst.shape and dst.buffer is not None:
            self.add(nodes.Fill(dst, value, op))

    def copy(self, dst, src, op):
        if 0 in dst.shape or dst.buffer is None:
            return
        if dst.dtype != src.dtype:
            self.event("cast", op)
        dst.buffer.known = False
        dst.buffer.targets |= src.buffer.targets
        self.add(nodes.Copy(dst, src, op, self.where()))

    def upload(self, target, data, op):
        """Host bytes to a device address; words that are addresses of ours become relocations."""
        if not data:
            return
        self.uploaded += len(data)
        if self.uploaded > self.upload_cap:
            self.event("upload_too_large", f"{op}: {self.uploaded} bytes in this call, {self.upload_cap} allowed")
        if len(data) > MAX_UPLOAD:
            self.unsupported(f"an upload of {len(data)} bytes")
        relocations = self._relocations(data)
        target.buffer.targets.update(pointer.buffer for _, pointer in relocations)
        self.add(nodes.Upload(target, data, relocations, op, self.where()))

    def _relocations(self, data):
        if len(data) % 8:
            return []
        words = memoryview(data).cast("Q")
        return [(8 * i, nodes.Pointer(*found)) for i, word in enumerate(words)
                if phantom.FIRST_ADDRESS <= word <= phantom.LAST_ADDRESS and (found := self.space.find(word))]


def warm_up():
    """For the zygote, before any candidate: imports everything, compiles one kernel to TTIR, fills lazy caches."""
    import numpy.random  # noqa: F401  (numpy itself imports it at its first use)

    from kgbench.untraced import leave_dynamo_out

    from . import dispatch, front_end, session  # noqa: F401  (their imports are the point)
    from .triton_driver import warm_compiler
    leave_dynamo_out()
    front_end.quicken()
    warm_compiler()
    meta = torch.empty((2, 3), device="meta")
    for value in (torch.empty_like(meta), meta.t().contiguous(), meta.to(torch.float16), torch.zeros_like(meta)):
        dispatch.to_meta(value)
