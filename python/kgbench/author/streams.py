# SPDX-License-Identifier: Apache-2.0
"""Streams and events of host code: a plan runs in one order, so every other legal order must give the same."""

import torch

from .nodes import buffers_of


class Streams:
    """Which work each stream has waited for.

    Work is numbered per stream. A node may follow the last access of its buffers only on the same stream or after a
    wait that covers it; else the order on a device is open, and the plan's one order proves nothing.
    """

    def __init__(self):
        self._all = []
        self.recorder = None  # for the events of timers
        self.stream_class = type("Stream", (Stream,), {"registry": self, "__module__": "torch.cuda"})
        self.event_class = type("Event", (Event,), {"registry": self, "__module__": "torch.cuda"})
        self._count = 0
        self.default = self.new()
        self.current = self.default
        self._reported = False

    def new(self):
        stream = object.__new__(self.stream_class)
        stream._begin(self, self._count)
        self._all.append(stream)
        self._count += 1
        return stream

    def set(self, stream):
        if stream is not None:
            self.current = stream

    def synchronize(self, stream=None):
        """The host waits: all later work of any stream follows what was submitted."""
        seen = dict(self.default.seen)
        for source in ([stream] if stream is not None else self._all):
            seen[source.stream_id] = source.tick
            for other, tick in source.seen.items():
                seen[other] = max(seen.get(other, 0), tick)
        for target in self._all:
            for other, tick in seen.items():
                target.seen[other] = max(target.seen.get(other, 0), tick)

    def ordered(self, node, recorder):
        """Notes a node on the current stream; an unordered conflict is an event."""
        if self._count == 1:
            return
        stream = self.current
        stream.tick += 1
        for buffer in buffers_of(node):
            if buffer.last is not None and buffer.writable:
                other, tick = buffer.last
                if other != stream.stream_id and stream.seen.get(other, 0) < tick and not self._reported:
                    self._reported = True
                    recorder.event("recorder_unsupported",
                                   "two streams on one buffer without a wait between them")
            buffer.last = (stream.stream_id, stream.tick)

    def end_call(self, recorder):
        """The caller goes on with the default stream: it must have waited for the others."""
        if self._count > 1 and not self._reported:
            for stream in self._all[1:]:
                if self.default.seen.get(stream.stream_id, 0) < stream.tick:
                    recorder.event("recorder_unsupported",
                                   "a stream that nobody waited for before the return")
                    break
        self.synchronize()
        self._reported = False
        self.current = self.default

    def every(self):
        return self._all


class Stream:
    """torch.cuda.Stream without a device."""

    registry = None
    device_index, device_type, priority = 0, 1, 0

    def __new__(cls, device=None, priority=0, **kwargs):
        if "stream_id" in kwargs or "stream_ptr" in kwargs:
            return cls.registry.default
        return cls.registry.new()

    def _begin(self, registry, number):
        self.streams, self.stream_id, self.tick, self.seen = registry, number, 0, {}

    @property
    def device(self):
        return torch.device("cuda", 0)

    @property
    def handle(self):
        return self.stream_id

    cuda_stream = handle

    def wait_stream(self, stream):
        self._after(stream.stream_id, stream.tick, stream.seen)

    def wait_event(self, event):
        event.wait(self)

    def record_event(self, event=None):
        event = event or self.streams.event_class()
        event.record(self)
        return event

    def _after(self, number, tick, seen):
        for other, at in {**seen, number: max(tick, seen.get(number, 0))}.items():
            self.seen[other] = max(self.seen.get(other, 0), at)

    def synchronize(self):
        self.streams.synchronize(self)

    def query(self):
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

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self._at = None

    def record(self, stream=None):
        stream = stream or self.registry.current
        self._at = (stream.stream_id, stream.tick, dict(stream.seen))

    def wait(self, stream=None):
        if self._at is not None:
            (stream or self.registry.current)._after(*self._at)

    def synchronize(self):
        if self._at is not None:
            for stream in self.registry.every():
                stream._after(*self._at)

    def query(self):
        return True

    def elapsed_time(self, end):
        if self.registry.recorder is not None:
            self.registry.recorder.event("self_benchmark", "torch.cuda.Event.elapsed_time")
        return 1.0
