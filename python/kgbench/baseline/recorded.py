# SPDX-License-Identifier: Apache-2.0
"""Calls of torch's as CUDA graphs, on the clock that times candidates (docs/timing.md)."""

import torch

from kgbench import _kgbench

WARM_UPS = 2  # libraries choose algorithms and take workspaces before a graph is recorded


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
