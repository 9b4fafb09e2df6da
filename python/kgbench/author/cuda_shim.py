# SPDX-License-Identifier: Apache-2.0
"""torch.cuda without a device: the names that host code asks, answered from the chip card."""

import types

import torch

from .nodes import DTYPE_NAMES
from .streams import StreamContext, Streams


def _properties(chip):
    return types.SimpleNamespace(
        name=chip.name, major=chip.capability[0], minor=chip.capability[1], total_memory=chip.memory,
        multi_processor_count=chip.multiprocessors, warp_size=chip.warp_size,
        max_threads_per_multi_processor=chip.max_threads_per_multiprocessor,
        max_threads_per_block=chip.max_threads_per_block, regs_per_multiprocessor=chip.registers,
        shared_memory_per_block=chip.shared_per_block, shared_memory_per_block_optin=chip.shared_optin,
        shared_memory_per_multiprocessor=chip.shared_per_multiprocessor, L2_cache_size=chip.l2_bytes,
        clock_rate=chip.clock_khz, memory_clock_rate=chip.memory_clock_khz, memory_bus_width=chip.memory_bus_bits,
        is_integrated=False, is_multi_gpu_board=False, gcnArchName="", uuid="", pci_bus_id=0, pci_device_id=0,
        pci_domain_id=0)


def _check_device(device):
    if device is None:
        return 0
    index = device if isinstance(device, int) else torch.device(device).index
    if index not in (None, 0, -1):
        raise RuntimeError(f"CUDA error: invalid device ordinal ({index}; there is one device)")
    return 0


def _refuse(recorder, what):
    def refused(*args, **kwargs):
        recorder.unsupported(what)
    return refused


class _RefusedClass:
    """A class whose construction is what cannot be recorded."""

    recorder, what = None, ""

    def __new__(cls, *args, **kwargs):
        cls.recorder.unsupported(cls.what)


def refused_class(recorder, what):
    return type(what.rpartition(".")[2], (_RefusedClass,), {"recorder": recorder, "what": what})


def device_answers(chip):
    properties = _properties(chip)
    total = chip.memory

    def always(value):
        return lambda *args, **kwargs: value

    def for_device(value):
        return lambda device=None: (_check_device(device), value)[1]

    stats = {"allocated_bytes.all.current": 0, "allocated_bytes.all.peak": 0, "reserved_bytes.all.current": 0}
    return {
        "is_available": always(True), "is_initialized": always(True), "init": always(None), "_lazy_init": always(None),
        "device_count": always(1), "current_device": always(0), "set_device": for_device(None),
        "_exchange_device": always(0), "_maybe_exchange_device": always(0), "_is_in_bad_fork": always(False),
        "get_device_name": for_device(chip.name), "get_device_capability": for_device(chip.capability),
        "get_device_properties": for_device(properties), "can_device_access_peer": always(False),
        "get_arch_list": always([f"sm_{chip.capability[0]}{chip.capability[1]}"]),
        "is_bf16_supported": always(chip.capability >= (8, 0)), "is_tf32_supported": always(chip.capability >= (8, 0)),
        "mem_get_info": for_device((total, total)), "memory_allocated": for_device(0),
        "max_memory_allocated": for_device(0), "memory_reserved": for_device(0), "max_memory_reserved": for_device(0),
        "memory_stats": for_device(stats), "memory_summary": always(""), "empty_cache": always(None),
        "reset_peak_memory_stats": for_device(None), "reset_accumulated_memory_stats": for_device(None),
        "ipc_collect": always(None), "utilization": for_device(0), "set_per_process_memory_fraction": always(None),
        "is_current_stream_capturing": always(False), "get_sync_debug_mode": always(0),
        "set_sync_debug_mode": always(None),
    }


def _low_level(recorder, chip, streams):
    """Names of torch._C that torch's own Python binds or calls."""
    return {
        "_cuda_init": lambda: None, "_cuda_getDevice": lambda: 0, "_cuda_setDevice": _check_device,
        "_cuda_exchangeDevice": lambda index: 0, "_cuda_maybeExchangeDevice": lambda index: 0,
        "_cuda_getDeviceCount": lambda: 1, "_cuda_synchronize": lambda: streams.synchronize(),
        "_cuda_isCurrentStreamCapturing": lambda: False, "_cuda_isInBadFork": lambda: False,
        "_cuda_hasPrimaryContext": lambda index: True, "_cuda_emptyCache": lambda: None,
        "_cuda_getCurrentRawStream": lambda index: streams.current.handle,
        "_cuda_getCurrentStream": lambda index: (streams.current.stream_id, 0, 1),
        "_cuda_getDefaultStream": lambda index: (0, 0, 1),
        "_cuda_getArchFlags": lambda: f"sm_{chip.capability[0]}{chip.capability[1]}",
        "_cuda_jiterator_compile_and_launch_kernel": _refuse(recorder, "torch.cuda.jiterator"),
        "_cuda_memoryStats": lambda index: {}, "_cuda_resetPeakMemoryStats": lambda index: None,
        "_cuda_resetAccumulatedMemoryStats": lambda index: None,
    }


def _stream_answers(recorder, streams):
    def stream(chosen):
        return StreamContext(streams, chosen)

    refuse = lambda what: _refuse(recorder, what)
    return {
        "Stream": streams.stream_class,
        "ExternalStream": refused_class(recorder, "torch.cuda.ExternalStream"),
        "Event": streams.event_class,
        "stream": stream, "StreamContext": stream, "current_stream": lambda device=None: streams.current,
        "default_stream": lambda device=None: streams.default, "set_stream": streams.set,
        "synchronize": lambda device=None: streams.synchronize(),
        "CUDAGraph": refused_class(recorder, "torch.cuda.CUDAGraph"),
        "graph": refused_class(recorder, "torch.cuda.graph"),
        "make_graphed_callables": refuse("torch.cuda.make_graphed_callables"),
        "graph_pool_handle": refuse("torch.cuda.graph_pool_handle"), "cudart": refuse("torch.cuda.cudart"),
        "current_blas_handle": refuse("torch.cuda.current_blas_handle"),
        "caching_allocator_alloc": refuse("torch.cuda.caching_allocator_alloc"),
        "MemPool": refused_class(recorder, "torch.cuda.MemPool"), "_sleep": refuse("torch.cuda._sleep"),
        "_compile_kernel": refuse("torch.cuda._compile_kernel"),
    }


def install(recorder, chip):
    """Patches torch for the life of this process. Returns the streams' registry."""
    streams = Streams()
    recorder.streams, streams.recorder = streams, recorder
    torch.cuda._lazy_init = lambda: None
    torch._C._ensureCUDADeviceGuardSet()
    torch._C._set_only_lift_cpu_tensors(True)
    submodules = (torch.cuda, torch.cuda.streams, torch.cuda.graphs, torch.cuda.memory, torch.cuda.random)
    for name, value in (device_answers(chip) | _stream_answers(recorder, streams)).items():
        torch.cuda.__dict__[name] = value
        for module in submodules:  # where torch.cuda has its names from; host code imports them there too
            if name in vars(module):
                setattr(module, name, value)
    for name, value in _low_level(recorder, chip, streams).items():
        setattr(torch._C, name, value)
    torch.Stream, torch.Event = streams.stream_class, streams.event_class
    torch.cuda.nvtx.range_push = torch.cuda.nvtx.range_pop = torch.cuda.nvtx.mark = lambda *a, **k: 0
    accelerator = torch.accelerator
    accelerator.is_available = lambda: True
    accelerator.device_count = lambda: 1
    accelerator.current_accelerator = lambda check_available=False: torch.device("cuda")
    accelerator.get_device_capability = lambda device=None: {"supported_dtypes": set(DTYPE_NAMES)}
    accelerator.current_device_index = accelerator.current_device_idx = lambda: 0
    accelerator.set_device_index = accelerator.set_device_idx = _check_device
    accelerator.synchronize = lambda device=None: streams.synchronize()
    accelerator.current_stream = lambda device=None: streams.current
    accelerator.set_stream = streams.set
    return streams


