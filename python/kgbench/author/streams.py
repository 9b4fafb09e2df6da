# SPDX-License-Identifier: Apache-2.0
"""Streams and events of host code, kept as edges: which work of other streams each step of a plan waits for."""

import threading

import torch

from .nodes import Step


class Streams:
    """Every stream and how far each of them has waited for the others.

    A *frontier* names the newest step of each stream that is known to come before: {stream number: step}. Work on
    a stream follows its own frontier, an event carries one, a wait merges one in, and the host has one of its own,
    which everything submitted later follows.
    """

    def __init__(self):
        self._all = []
        self._host = {}
        self._ticks = 0
        self._here = threading.local()  # as torch does: the current stream belongs to a thread
        self.recorder = None  # for what is noted or refused
        self.stream_class = type("Stream", (Stream,), {"registry": self, "__module__": "torch.cuda"})
        self.event_class = type("Event", (Event,), {"registry": self, "__module__": "torch.cuda"})
        self.default = self.new()

    @property
    def current(self):
        return getattr(self._here, "stream", self.default)

    def new(self):
        stream = object.__new__(self.stream_class)
        stream._begin(self, len(self._all))
        self._all.append(stream)
        return stream

    def numbered(self, number):
        return self._all[number]

    def set(self, stream):
        if stream is not None:
            self._here.stream = stream

    def synchronize(self, stream=None):
        """The host waits for a stream, or for all: later work of any stream follows what was submitted there."""
        for source in ([stream] if stream is not None else self._all):
            merge(self._host, source.frontier)

    def host_waits(self, frontier):
        merge(self._host, frontier)

    def known(self, stream):
        """What the stream's next work follows."""
        merge(stream.frontier, self._host)
        return stream.frontier

    def place(self, node):
        """The node as the next step of the current stream."""
        stream = self.current
        self._ticks += 1
        if len(self._all) == 1:  # as in nearly all host code
            step = stream.frontier[0] = Step(node, 0, self._ticks)
            return step
        after = [step for number, step in self.known(stream).items()
                 if number != stream.stream_id and step.tick > stream.covered.get(number, 0)]
        stream.covered.update((step.stream, step.tick) for step in after)
        step = Step(node, stream.stream_id, self._ticks, after)
        stream.frontier[stream.stream_id] = step
        return step

    def end_call(self):
        """The steps that the caller, who goes on with the current stream, may rely on. The next call begins after
        everything: what nobody waited for is told by this call's plan."""
        joined = list(self.known(self.current).values())
        self._here = threading.local()
        self._host = {}
        for stream in self._all:
            stream.frontier, stream.covered = {}, {}
        return joined


def merge(frontier, other):
    """Moves `frontier` on to where `other` is ahead of it."""
    for number, step in other.items():
        if number not in frontier or frontier[number].tick < step.tick:
            frontier[number] = step


class Stream:
    """torch.cuda.Stream without a device."""

    registry = None
    device_index, device_type, priority = 0, 1, 0

    def __new__(cls, device=None, priority=0, **kwargs):
        known = kwargs.get("stream_id", kwargs.get("stream_ptr"))
        return cls.registry.new() if known is None else cls.registry.numbered(known)

    def _begin(self, registry, number):
        self.streams, self.stream_id = registry, number
        self.frontier, self.covered = {}, {}  # what its next work follows; the part of it that is in the plan

    @staticmethod
    def priority_range():
        return 0, -5

    @property
    def device(self):
        return torch.device("cuda", 0)

    @property
    def handle(self):
        return self.stream_id

    cuda_stream = native_handle = handle

    def wait_stream(self, stream):
        merge(self.frontier, self.streams.known(stream))

    def wait_event(self, event):
        event.wait(self)

    def record_event(self, event=None):
        event = event or self.streams.event_class()
        event.record(self)
        return event

    def synchronize(self):
        self.streams.synchronize(self)

    def query(self):
        """The answer is always yes, as if the work were done: host code that asks has waited."""
        self.synchronize()
        return True

    def __enter__(self):
        self._outer = self.streams.current
        self.streams.set(self)
        return self

    def __exit__(self, *error):
        self.streams.set(self._outer)

    def __eq__(self, other):
        return isinstance(other, Stream) and other.stream_id == self.stream_id

    def __hash__(self):
        return hash(("stream", self.stream_id))

    def __repr__(self):
        return f"<torch.cuda.Stream device=cuda:0 cuda_stream={self.stream_id:#x}>"


class StreamContext:
    """`with torch.cuda.stream(s):`"""

    def __init__(self, streams, stream):
        self._streams, self.stream = streams, stream

    def __enter__(self):
        self._outer = self._streams.current
        self._streams.set(self.stream)

    def __exit__(self, *error):
        self._streams.set(self._outer)


class Event:
    """torch.cuda.Event without a device; times are made up and say so in an event of the recording."""

    registry = None
    cuda_event = event_id = 1

    def __init__(self, *args, **kwargs):
        self._frontier = {}

    def record(self, stream=None):
        stream = stream or self.registry.current
        self._frontier = dict(self.registry.known(stream))

    def wait(self, stream=None):
        merge((stream or self.registry.current).frontier, self._frontier)

    def synchronize(self):
        self.registry.host_waits(self._frontier)

    def query(self):
        self.synchronize()
        return True

    def ipc_handle(self):
        self.registry.recorder.unsupported("torch.cuda.Event.ipc_handle")

    @classmethod
    def from_ipc_handle(cls, device, handle):
        cls.registry.recorder.unsupported("torch.cuda.Event.from_ipc_handle")

    def elapsed_time(self, end):
        self.registry.recorder.event("self_benchmark", "torch.cuda.Event.elapsed_time")
        return 1.0
