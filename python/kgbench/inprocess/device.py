# SPDX-License-Identifier: Apache-2.0
"""The device that a candidate is called on, and the census of what ran there."""

import contextlib
import os
import time

import torch

from kgbench import _kgbench
from kgbench.baseline.recorded import EventTimed, RecordedCall

# Theory of operation. The candidate's stream is torch's current one during a call; the judge has another. When the call
# returns, the judge's stream waits for the candidate's and marks the moment; then outputs are copied on it. By activity
# records (kernels, copies and memsets with stream and time) whatever runs on another stream behind that mark is work
# that nobody waited for, or that was started after the return.
LINGER_S = 0.02  # how long work may be started after a call's return and still be seen
HELPERS = {"aten::empty", "aten::empty_like", "aten::empty_strided", "aten::contiguous", "aten::view", "aten::copy_"}
NAMES = {0: "kernel", 1: "copy to the device", 2: "copy to the host", 8: "copy", 100: "memset"}


class CudaDevice:
    """A CUDA device of torch's."""

    kind = "cuda"

    def __init__(self, backend):
        self._backend = backend
        # Torch hands its streams out in turn, by priority: candidates hardly ask for this one.
        self._stream, self._own = torch.cuda.Stream(), torch.cuda.Stream(priority=-1)
        self._mark = torch.zeros(1, dtype=torch.uint8, device="cuda")
        torch.cuda.synchronize()
        _kgbench.start_activity()
        self._set_mark()
        seen = _kgbench.take_activity()
        if not seen:
            raise RuntimeError("CUPTI gave no record of a kernel that ran: the census of kernels is not possible")
        self._own_id = seen[-1][2]

    def _set_mark(self):
        with torch.cuda.stream(self._own):
            self._own.wait_stream(self._stream)
            self._mark.fill_(1)
            self._own.synchronize()

    def call(self, function, read):
        """Calls `function()`; (what it returned, read(it), census rows, late work). `read` gets the outputs on the judge's
        own stream. What the call raises is raised once the device is still."""
        torch.cuda.synchronize()
        _kgbench.start_activity()
        try:
            with torch.cuda.stream(self._stream):
                result = function()
        except BaseException:
            with contextlib.suppress(RuntimeError):  # a kernel may have taken the context with it
                _kgbench.take_activity()
            raise
        self._set_mark()
        with torch.cuda.stream(self._own):
            found = read(result)
        time.sleep(LINGER_S)
        torch.cuda.synchronize()
        rows, late = census(_kgbench.take_activity(), self._own_id)
        return result, found, rows, late

    def still(self):
        """Waits for everything; raises what a kernel did wrong."""
        torch.cuda.synchronize()

    def spoil(self, size, byte):
        """Leaves a pattern in memory of this size that the next allocations are likely to get."""
        with torch.cuda.stream(self._stream):
            torch.empty(size, dtype=torch.uint8, device="cuda").fill_(byte)
        self._stream.synchronize()

    def record(self, function):
        """What `function()` does as a graph. Raises where it cannot be recorded."""
        return RecordedCall(function)

    def replay(self, recorded):
        recorded.graph.replay()
        torch.cuda.synchronize()

    def timed(self, function, recorded):
        """What samples(n) can be asked of."""
        if recorded is None:
            return EventTimed(function)
        recorded.adopt(self._backend)
        return recorded

    def do_bench(self, function):
        """Milliseconds by triton.testing.do_bench with its own defaults."""
        import triton.testing
        return triton.testing.do_bench(function)


class HostDevice:
    """Tensors of the host, where KGBENCH_CUDA_LIBRARY names a stand-in for the driver that torch cannot use: for tests of
    everything around the device. Triton's interpreter runs kernels; the census has those and ATen's operators. Nothing is
    recorded and nothing timed."""

    kind = "cpu"

    def __init__(self, backend):
        os.environ["TRITON_INTERPRET"] = "1"
        self._launched = []
        self._hook()

    def _hook(self):
        from triton.runtime import interpreter
        launch, launched = interpreter.GridExecutor.__call__, self._launched

        def noted(executor, *args, **kwargs):
            start = time.perf_counter_ns()
            result = launch(executor, *args, **kwargs)
            launched.append((0, executor.fn.__name__, 1, start, time.perf_counter_ns()))
            return result

        interpreter.GridExecutor.__call__ = noted

    def call(self, function, read):
        self._launched.clear()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as seen:
            result = function()
        kernels = self._launched[:]
        operators = [(0, e.name, 1, int(1e3 * e.time_range.start), int(1e3 * e.time_range.end)) for e in seen.events()
                     if e.name.startswith("aten::") and e.cpu_parent is None and e.name not in HELPERS]
        rows, late = census(kernels + ([] if kernels else operators), None)
        return result, read(result), rows, late

    def still(self):
        pass

    def spoil(self, size, byte):
        pass

    def record(self, function):
        raise RuntimeError("tensors of the host are not recorded as a graph")

    def timed(self, function, recorded):
        raise RuntimeError("tensors of the host are not timed")


def open_device(backend):
    """Raises RuntimeError with what is missing."""
    if torch.cuda.is_available():
        return CudaDevice(backend)
    if os.environ.get("KGBENCH_CUDA_LIBRARY"):
        return HostDevice(backend)
    raise RuntimeError(f"torch sees no CUDA device in the candidate's process: {_why_none()}")


def _why_none():
    """What the driver says to whoever asks it for a device."""
    try:
        torch.cuda.init()
        return f"{torch.cuda.device_count()} devices are visible"
    except (RuntimeError, AssertionError) as error:
        return str(error).split("\n")[0]


def census(records, own):
    """(rows, late) of activity records (kind, name, stream, start, end): what ran outside stream `own`, by name; and the
    names of what was still running there when the first work of `own` began."""
    mark = min((start for _, _, stream, start, _ in records if stream == own), default=None)
    rows, late = {}, []
    for kind, name, stream, start, end in records:
        if stream == own:
            continue
        row = rows.setdefault((kind, name), {"kind": NAMES.get(kind, "copy"), "name": name, "count": 0, "ns": 0})
        row["count"] += 1
        row["ns"] += end - start
        if mark is not None and end > mark:
            late.append(name or row["kind"])
    return sorted(rows.values(), key=lambda row: -row["ns"]), sorted(set(late))
