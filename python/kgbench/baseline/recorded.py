# SPDX-License-Identifier: Apache-2.0
"""Calls as CUDA graphs on the clock that times candidates, or between events where that cannot be (docs/timing.md)."""

import torch

from kgbench import _kgbench

WARM_UPS = 2  # libraries choose algorithms and take workspaces before a graph is recorded
L2_READ = 4  # sizes of the L2 cache that are read before a call between events


class RecordedCall:
    """What `call()` does on the device, as a graph; holds what it returned, and with it the graph's memory.

    Raises what the call raises, or torch where it cannot be recorded: a call that waits for the device, say.
    """

    def __init__(self, call):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())  # what the call reads may still be on its way
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                call()
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph(keep_graph=True)
        with torch.cuda.graph(self.graph, stream=stream):
            self.result = call()
        torch.cuda.synchronize()

    def adopt(self, backend):
        """Makes it the graph that samples() replays; there is one in a process."""
        _kgbench.adopt_graph(backend, self.graph.raw_cuda_graph())

    def samples(self, backend, n):
        """Nanoseconds of n replays with cold caches, of the graph that was adopted last."""
        return _kgbench.time_graph(backend, n)


class EventTimed:
    """What `call()` does between two events, for calls that cannot be recorded. What the host takes longer for than the
    device is in the window, and so are some microseconds of the events themselves (docs/timing.md)."""

    def __init__(self, call):
        self._call = call
        self._stream = torch.cuda.Stream()
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        self._flushed = torch.zeros(L2_READ * properties.L2_cache_size // 4, dtype=torch.int32, device="cuda")
        self._stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(self._stream):
            for _ in range(WARM_UPS):
                self.result = call()
        torch.cuda.synchronize()

    def samples(self, backend, n):
        """Nanoseconds of n calls, each with cold caches: read, and not written, so that nothing is left to write back."""
        return [self._sample() for _ in range(n)]

    def _sample(self):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        with torch.cuda.stream(self._stream):
            self._flushed.max()
            first.record(self._stream)
            self.result = self._call()
            last.record(self._stream)
        torch.cuda.synchronize()
        return 1e6 * first.elapsed_time(last)
