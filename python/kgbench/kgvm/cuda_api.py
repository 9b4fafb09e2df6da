# SPDX-License-Identifier: Apache-2.0
"""torch.cuda where there is no device: what host code asks is answered from the chip card, what it waits for is done."""
import time
import types

import torch

from ..author.cuda_shim import device_answers

PAGE = "docs/run-triton-without-a-gpu.md"


def refuse(what):
    def refused(*args, **kwargs):
        raise RuntimeError(f"kgvm: {what} has no counterpart without a GPU ({PAGE} lists what is mapped)")
    return refused


class Stream:
    """torch.cuda.Stream: everything runs at once and in order, so there is never anything to wait for."""

    count = 0
    device_index, device_type, priority = 0, 1, 0

    def __init__(self, device=None, priority=0, **kwargs):
        self.stream_id = self.cuda_stream = Stream.count
        Stream.count += 1

    @property
    def device(self):
        return torch.device("cuda", 0)

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def synchronize(self):
        pass

    def query(self):
        return True

    def __enter__(self):
        self._outer = Stream.current
        Stream.current = self
        return self

    def __exit__(self, *error):
        Stream.current = self._outer

    def __repr__(self):
        return f"<torch.cuda.Stream device=cuda:0 cuda_stream={self.stream_id:#x}>"


Stream.default = Stream.current = Stream()


class Event:
    """torch.cuda.Event with the time of this computer's clock."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self._at = None

    def record(self, stream=None):
        self._at = time.perf_counter_ns()

    def wait(self, stream=None):
        pass

    def synchronize(self):
        pass

    def query(self):
        return True

    def elapsed_time(self, end):
        from . import driver
        driver.say_once(driver.NOT_GPU_TIME)
        if self._at is None or end._at is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end._at - self._at) / 1e6


class Interface:
    """What triton.testing asks of a device."""

    Event = Event

    @staticmethod
    def current_device():
        return 0

    @staticmethod
    def synchronize(device=None):
        pass


class _StreamContext:
    """`with torch.cuda.stream(s):`, where s may be None."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return self.stream.__enter__() if self.stream is not None else None

    def __exit__(self, *error):
        if self.stream is not None:
            self.stream.__exit__(*error)


def _set_stream(stream):
    Stream.current = stream or Stream.current


def _nothing(*args, **kwargs):
    return None


def _always(value):
    return lambda *args, **kwargs: value


def _random():
    generator = torch.default_generator
    return {
        "manual_seed": lambda seed: generator.manual_seed(int(seed)) and None,
        "manual_seed_all": lambda seed: generator.manual_seed(int(seed)) and None,
        "seed": lambda: generator.seed() and None, "seed_all": lambda: generator.seed() and None,
        "initial_seed": generator.initial_seed,
        "get_rng_state": lambda device="cuda": generator.get_state(),
        "get_rng_state_all": lambda: [generator.get_state()],
        "set_rng_state": lambda state, device="cuda": generator.set_state(state) and None,
        "set_rng_state_all": lambda states: generator.set_state(list(states)[0]) and None,
    }


def _streams():
    return {
        "Stream": Stream, "Event": Event, "stream": _StreamContext, "StreamContext": _StreamContext,
        "current_stream": lambda device=None: Stream.current, "default_stream": lambda device=None: Stream.default,
        "set_stream": _set_stream, "synchronize": _nothing,
    }


def _refused():
    names = ("CUDAGraph", "graph", "make_graphed_callables", "graph_pool_handle", "cudart", "current_blas_handle",
             "caching_allocator_alloc", "MemPool", "ExternalStream", "_compile_kernel")
    found = {name: refuse(f"torch.cuda.{name}") for name in names}
    # torch calls it where a tensor reaches for the device past everything that host.py maps.
    found["_lazy_init"] = refuse("an operator of torch on a CUDA device, reached past kgvm's mapping,")
    return found


def install(chip):
    """Replaces names of torch for the life of this process."""
    names = device_answers(chip) | _streams() | _random() | _refused() | {"_sleep": _nothing}
    modules = [torch.cuda, torch.cuda.streams, torch.cuda.graphs, torch.cuda.memory, torch.cuda.random]
    for name, value in names.items():
        setattr(torch.cuda, name, value)
        for module in modules[1:]:  # where torch.cuda has its names from; host code imports them there, too
            if name in vars(module):
                setattr(module, name, value)
    torch.cuda.default_generators = (torch.default_generator,)
    for name, value in {
            "_cuda_getDevice": _always(0), "_cuda_setDevice": _nothing, "_cuda_exchangeDevice": _always(0),
            "_cuda_maybeExchangeDevice": _always(0), "_cuda_getDeviceCount": _always(1),
            "_cuda_synchronize": _nothing, "_cuda_isCurrentStreamCapturing": _always(False),
            "_cuda_emptyCache": _nothing, "_cuda_hasPrimaryContext": _always(True),
            "_cuda_getCurrentRawStream": lambda index=0: Stream.current.cuda_stream}.items():
        setattr(torch._C, name, value)
    torch.cuda.nvtx.range_push = torch.cuda.nvtx.range_pop = torch.cuda.nvtx.mark = _always(0)
    torch.cuda.profiler.start = torch.cuda.profiler.stop = _nothing
    for name in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte", "Bool"):
        setattr(torch.cuda, f"{name}Tensor", getattr(torch, f"{name}Tensor"))
    _accelerator(types.SimpleNamespace(**_streams()))


def _accelerator(streams):
    there = torch.accelerator
    there.is_available = _always(True)
    there.device_count = _always(1)
    there.current_accelerator = lambda check_available=False: torch.device("cuda")
    there.current_device_index = there.current_device_idx = _always(0)
    there.set_device_index = there.set_device_idx = _nothing
    there.synchronize = _nothing
    there.current_stream = streams.current_stream
    there.set_stream = streams.set_stream
