# SPDX-License-Identifier: Apache-2.0
"""Triton's driver and compiler for the author: kernels end as TTIR, launches end as plan nodes."""

import operator
import os
import re
import tempfile

import torch
import triton
from triton import knobs
from triton._C.libtriton import ir, passes
from triton.backends.compiler import GPUTarget, Language
from triton.backends.nvidia.compiler import CUDABackend, get_ptxas_version
from triton.runtime import driver as active_driver
from triton.runtime.jit import TensorWrapper

from kgbench.compiler.cache_keys import private_cache_keys

from . import lazy_kernel, nodes, phantom
from .kernel_cache import PrivateCache
from .tuning import Benchmarker

# What TTIR does not hold and a later stage needs. Left out: extern_libs (a path of this machine) and the target.
KEPT_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "enable_fp_fusion", "enable_reflect_ftz",
                "launch_cooperative_grid", "launch_pdl", "ptx_options", "debug", "sanitize_overflow")
GRID_LIMITS = (2**31 - 1, 65535, 65535)
FLOAT_TYPES = ("fp16", "bf16", "fp32", "f32", "fp64")
INTEGER_RANGES = {"i1": (0, 1), "u1": (0, 1)}
INTEGER_RANGES.update({f"i{n}": (-(1 << n - 1), (1 << n - 1) - 1) for n in (8, 16, 32, 64)})
INTEGER_RANGES.update({f"u{n}": (0, (1 << n) - 1) for n in (8, 16, 32, 64)})
_ADDRESS = re.compile(r"\b\d{14}\b")  # as many digits as phantom addresses have
_DESCRIPTOR = re.compile(r"tensordesc<([^\[>]*)\[([^\]]*)\]")


class TtirBackend(CUDABackend):
    """The CUDA backend with every stage after TTIR left out."""

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "ttir"

    def add_stages(self, stages, options, language):
        if language != Language.TRITON:
            raise nodes.Unsupported("a Gluon kernel has no TTIR: write the kernel in Triton")
        capability = self._parse_arch(options.arch)

        def ttir(source, metadata):
            module = self.make_ttir(source, metadata, options, capability)
            name = module.get_entry_func_name()
            types = module.get_function_signature(module.get_function(name))
            if any("tensordesc" in str(t) for t in types):
                # A plan's arguments are pointers and numbers, so a descriptor made on the host travels as its parts.
                manager = ir.pass_manager(module.context)
                passes.ttir.add_rewrite_tensor_descriptor_to_pointer(manager)
                passes.common.add_canonicalizer(manager)
                manager.run(module, "host_descriptors")
            metadata.update(name=name, shared=0, tmem_size=0, tensordesc_meta=None, global_scratch_size=0,
                            global_scratch_align=1, profile_scratch_size=0, profile_scratch_align=1)
            return module

        stages["ttir"] = ttir

    def hash(self):
        return f"ttir-{self.target.arch}"


def flat_signature(signature):
    """(name, type, path) of every argument that the kernel really has: no constexprs, tuples taken apart."""
    flat = []

    def walk(name, kind, path):
        if isinstance(kind, (tuple, list)):
            for i, item in enumerate(kind):
                walk(f"{name}.{i}", item, path + (i,))
        elif kind != "constexpr":
            flat.append((name, kind, path))

    for i, (name, kind) in enumerate(signature.items()):
        walk(str(name), kind, (i,))
    return flat


def expand_descriptor(name, kind):
    """Names and types of the arguments that a host tensor descriptor becomes."""
    match = _DESCRIPTOR.match(kind)
    rank = match.group(2).count(",") + 1
    axes = range(rank)
    return ([(name, "*" + match.group(1))] + [(f"{name}.shape.{i}", "i64") for i in axes]
            + [(f"{name}.stride.{i}", "i64") for i in axes] + [(f"{name}.nan", "i1")]
            + [(f"{name}.shape.{i}", "i32") for i in axes] + [(f"{name}.stride.{i}", "i64") for i in axes])


class Launcher:
    """Stands where Triton's launcher stands; checks as it does, and records instead of launching."""

    recorder = None  # the session's

    def __init__(self, source, metadata):
        self._metadata = metadata
        self._arguments = flat_signature(source.signature)
        self._kernel = None

    def _make_kernel(self, text):
        expanded = []
        for name, kind, _ in self._arguments:
            expanded += expand_descriptor(name, kind) if kind.startswith("tensordesc") else [(name, kind)]
        options = {k: str(v) for k in KEPT_OPTIONS if (v := getattr(self._metadata, k, None)) is not None}
        # Source positions then name the candidate's file, not where this process happened to keep it.
        text = text.decode()
        for folder in Launcher.recorder.places.folders:
            text = text.replace(f'"{folder}', '"')
        if any(Launcher.recorder.pointer(int(number)) for number in _ADDRESS.findall(text)):
            Launcher.recorder.unsupported(f"an address as a constant of kernel {self._metadata.name}")
        return nodes.Kernel(self._metadata.name, text, options, [t for _, t in expanded],
                            [n for n, _ in expanded])

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *args):
        recorder = Launcher.recorder
        grid = tuple(operator.index(n) for n in (x, y, z))
        if any(not -(2**31) <= n < 2**31 for n in grid):
            raise OverflowError("signed integer is greater than maximum")
        if getattr(enter, "calls", None):
            enter(launch_metadata)
        values = []
        for position, (_, kind, path) in enumerate(self._arguments):
            value = args[path[0]]
            for i in path[1:]:
                value = value[i]
            if kind.startswith("tensordesc"):
                values += self._descriptor(recorder, value, position)
            else:
                values.append(convert(recorder, value, kind, position))
        if grid[0] * grid[1] * grid[2] > 0:
            if any(n <= 0 or n > most for n, most in zip(grid, GRID_LIMITS)):
                raise RuntimeError(f"Triton Error [CUDA]: invalid argument (grid {grid})")
            if self._kernel is None:
                self._kernel = self._make_kernel(function)
            for value in values:
                if isinstance(value, nodes.Pointer) and value.buffer is not None:
                    value.buffer.known = False
                    value.buffer.host_readable &= not value.buffer.writable
            recorder.add(nodes.Launch(self._kernel, grid, values, recorder.where()))
        if getattr(leave, "calls", None):
            leave(launch_metadata)

    @staticmethod
    def _descriptor(recorder, descriptor, position):
        sizes = [operator.index(n) for n in descriptor.shape]
        strides = [operator.index(n) for n in descriptor.strides]
        return [convert(recorder, descriptor.base, "*", position), *sizes, *strides,
                int(descriptor.padding == "nan"), *sizes, *strides]


def convert(recorder, value, kind, position):
    """A launch argument as the plan has it; the errors are those of Triton's own launcher."""
    if kind.startswith("*"):
        tensor = None
        if value is None:
            return nodes.Pointer(None, 0)
        if isinstance(value, int):
            address = value
        elif hasattr(value, "data_ptr"):
            address = value.data_ptr()
            tensor = getattr(value, "base", None) if isinstance(value, TensorWrapper) else value
        else:
            raise TypeError("Pointer argument must be either uint64 or have data_ptr method")
        if not address:
            return nodes.Pointer(None, 0)
        pointer = recorder.pointer(address)
        if pointer is None:
            raise ValueError(f"Pointer argument (at {position}) cannot be accessed from Triton (cpu tensor?)")
        if isinstance(tensor, torch.Tensor) and pointer.buffer is not None:
            return pointer._replace(view=phantom.part_of(tensor, pointer.buffer))
        return pointer
    if kind in FLOAT_TYPES:
        return float(value)
    number = operator.index(value)
    if phantom.FIRST_ADDRESS <= number <= phantom.LAST_ADDRESS and (pointer := recorder.pointer(number)):
        return pointer
    low, high = INTEGER_RANGES[kind]
    if not low <= number <= high:
        raise OverflowError(f"argument {position}: {number} does not fit {kind}")
    return number - (1 << 64) if number >= 1 << 63 else number  # a plan's integers are signed; the bits are the same


class Utils:
    """What Triton asks of the device library."""

    def __init__(self, chip):
        self._properties = chip.triton_properties()
        self._threads = chip.max_threads_per_block

    def load_binary(self, name, kernel, shared, device):
        return 1, kernel, 32, 0, self._threads

    def unload_module(self, *args):
        pass

    def get_device_properties(self, device):
        return dict(self._properties)


class Driver:
    """Triton's active driver in the author: the impersonated chip, one stream, no device."""

    launcher_cls = Launcher

    def __init__(self, chip, benchmarker=None, stream=lambda: 0):
        self.utils = Utils(chip)
        self._target = GPUTarget("cuda", chip.capability[0] * 10 + chip.capability[1], chip.warp_size)
        self._benchmarker = benchmarker
        self._stream = stream

    @staticmethod
    def is_active():
        return True

    def get_current_target(self):
        return self._target

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return self._stream()

    def get_device_capability(self, device=None):
        return divmod(self._target.arch, 10)

    def get_active_torch_device(self):
        return torch.device("cuda", 0)

    def get_device_interface(self):
        return torch.cuda

    def map_python_to_cpp_type(self, kind):
        from triton.backends.nvidia.driver import ty_to_cpp
        return ty_to_cpp(kind)

    def get_benchmarker(self):
        return self._benchmarker

    def get_empty_cache_for_benchmark(self):
        return torch.empty(1 << 26, dtype=torch.int, device="cuda")

    def clear_cache(self, cache):
        pass


def register_backend():
    entry = triton.backends.backends["nvidia"]
    triton.backends.backends["nvidia"] = type(entry)(compiler=TtirBackend, driver=entry.driver)


def install(recorder, chip, workspace, autotune, stream=lambda: 0):
    """Makes Triton record into `recorder`. Its cache lies in the workspace; its settings from outside are undone."""
    register_backend()
    lazy_kernel.install()
    triton.compiler.compiler.max_shared_mem.cache_clear()
    knobs.cache.dir = os.path.join(workspace, ".triton")
    knobs.cache.manager_class = PrivateCache
    knobs.autotuning.cache = False
    knobs.runtime.interpret = False  # a candidate may ask for Triton's interpreter, which would read every tensor
    Launcher.recorder = recorder
    benchmarker = Benchmarker(recorder, autotune)
    benchmarker.install()
    active_driver.set_active(Driver(chip, benchmarker, stream))
    return benchmarker


def warm_compiler():
    """Compiles one kernel to TTIR, so that Triton has imported its parts and read its libraries before any fork."""
    from .chips import Chip
    register_backend()
    private_cache_keys()
    chip = Chip({})
    before = knobs.cache.dir
    knobs.cache.manager_class = PrivateCache
    with tempfile.TemporaryDirectory() as folder:
        knobs.cache.dir = folder
        active_driver.set_active(Driver(chip))
        from .warm_kernel import touch
        touch.warmup(torch.float32, torch.float32, 7, BLOCK=32, grid=(1,))
        triton.compiler.compiler.max_shared_mem(0)
        get_ptxas_version(active_driver.active.get_current_target().arch)  # locked authors cannot run it
    knobs.cache.dir = before
