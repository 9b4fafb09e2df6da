# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels whose device figures (registers, shared memory, PTX) are made only when host code asks."""

import re
import subprocess

import triton
from triton.backends.nvidia.compiler import CUDABackend
from triton.compiler import compiler as triton_compiler
from triton.runtime import driver
from triton.runtime.errors import OutOfResources, PTXASError

_REGISTER_COUNT = re.compile(rb"\x04\x2f\x08\x00.{4}(.{4})", re.DOTALL)  # EIATTR_REGCOUNT: symbol, count
ASSUMED_REGISTERS = 64
DEVICE_STAGES = ("ttgir", "llir", "ptx", "cubin", "sass")

Native = triton_compiler.CompiledKernel


class _PtxBackend(CUDABackend):
    """The CUDA backend without its last stage, which runs the assembler as a program of its own."""

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "ptx"

    def add_stages(self, stages, options, language):
        super().add_stages(stages, options, language)
        del stages["cubin"]

    def hash(self):
        return f"ptx-{self.target.arch}"


def _compile(kernel, backend):
    """The kernel's TTIR taken on by another backend."""
    entry = triton.backends.backends["nvidia"]
    text = next(path for name, path in kernel.metadata_group.items() if name.endswith(".ttir"))
    fields = triton.backends.nvidia.compiler.CUDAOptions.__dataclass_fields__
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in kernel.metadata._asdict().items()
               if k in fields and k != "extern_libs"}  # JSON made lists of tuples; the libraries are the backend's own
    triton.backends.backends["nvidia"] = type(entry)(compiler=backend, driver=entry.driver)
    triton_compiler.CompiledKernel = Native
    try:
        return triton.compile(text, target=kernel.metadata.target, options=options)
    finally:
        triton.backends.backends["nvidia"] = entry
        triton_compiler.CompiledKernel = LazyKernel


def _finish(kernel):
    """The kernel compiled for the device, by Triton's own backend: occupancy formulas want real figures. Where the
    lock lets no program run there is PTX instead, whose shared memory is real and whose registers are assumed."""
    try:
        return _compile(kernel, CUDABackend)
    except (OSError, subprocess.SubprocessError, PTXASError):
        driver.active.launcher_cls.recorder.event("assumed", f"{ASSUMED_REGISTERS} registers for {kernel.name}")
        return _compile(kernel, _PtxBackend)


class _LazyText(dict):
    """asm: the texts that exist, and the later stages on demand."""

    def __init__(self, kernel, texts):
        super().__init__(texts)
        self._kernel = kernel

    def __missing__(self, key):
        if key not in DEVICE_STAGES:
            raise KeyError(f"Unknown key: '{key}'")
        value = self._kernel.finished.asm[key]
        value = self[key] = value if key == "cubin" or isinstance(value, str) else value.decode()
        return value


def _lazy_metadata(metadata, kernel):
    """The metadata with `shared` as a question instead of a number."""
    fields = {"shared": property(lambda self: kernel.finished.metadata.shared), "__slots__": ()}
    return type("KernelMetadata", (type(metadata),), fields)(*metadata)


class LazyKernel(Native):
    """Triton's CompiledKernel over TTIR alone."""

    def __init__(self, src, metadata_group, hash):
        if not hasattr(src, "fn"):
            driver.active.launcher_cls.recorder.unsupported("a kernel that was given as IR text")
        super().__init__(src, metadata_group, hash)
        self._finished = None
        self.asm = _LazyText(self, self.asm)
        self.metadata = _lazy_metadata(self.metadata, self)

    def _init_handles(self):
        if self.module is not None:
            return
        active = driver.active
        self._run = active.launcher_cls(self.src, self.metadata)
        self.module, self.function, _, _, self.n_max_threads = active.utils.load_binary(self.name, self.kernel, 0, 0)
        threads = self.metadata.num_warps * active.get_current_target().warp_size
        if threads > self.n_max_threads:
            self.module = None
            raise OutOfResources(threads, self.n_max_threads, "threads")

    @property
    def finished(self):
        if self._finished is None:
            self._finished = _finish(self)
        return self._finished

    @property
    def n_regs(self):
        counts = [int.from_bytes(n, "little") for n in _REGISTER_COUNT.findall(self.finished.asm.get("cubin", b""))]
        return max(counts, default=ASSUMED_REGISTERS)

    @property
    def n_spills(self):
        return 0


def install():
    triton_compiler.CompiledKernel = LazyKernel
    triton.compiler.CompiledKernel = LazyKernel
