# SPDX-License-Identifier: Apache-2.0
"""Triton's driver plug-in: a device that does not exist, with the facts of a chip card and launches that do run."""
import importlib
import os
import sys

from triton.backends.compiler import GPUTarget
from triton.backends.driver import DriverBase

from . import compiler
from .settings import BadSetting, settings

NOT_GPU_TIME = ("kgvm: times are those of the virtual machine on this computer's processors. They say nothing about a "
                "GPU, not even which of two kernels is faster there")
_said = set()


def say_once(text):
    """On standard error, and not as a warning: scripts that turn warnings into errors are to run, too."""
    if text not in _said:
        _said.add(text)
        print(text, file=sys.stderr, flush=True)


def check_extension():
    """Raises ImportError, with what to do, where the native part of kgbench is missing."""
    from . import launch
    if launch._kgbench is None:
        raise ImportError("kgvm needs kgbench's native part, kgbench._kgbench: install the package (pip install .), or in a "
                          f"source tree build it and name its folder in KGBENCH_EXT_DIR ({launch.missing})")
    if settings.checks and not launch.has_sanitizer():
        raise BadSetting("kgvm: this build of kgbench checks bounds alone: unset KGVM_CHECKS")


def has_gpu():
    """Whether torch sees a real device; asked before anything is mapped."""
    import torch
    host = sys.modules.get("kgbench.kgvm.host")
    return torch.cuda.is_available() if host is None or not host.installed else host.had_gpu


def stand_alone():
    """Tells the drivers of real GPUs to stay away: torch will say that there is a device."""
    for name in ("nvidia", "amd"):
        try:
            module = importlib.import_module(f"triton.backends.{name}.driver")
        except ImportError:
            continue
        for thing in vars(module).values():
            if isinstance(thing, type) and issubclass(thing, DriverBase) and thing.__module__ == module.__name__:
                thing.is_active = staticmethod(lambda: False)


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


class KgvmDriver(DriverBase):
    """Triton's active driver where there is no GPU: one device, one stream, CPU memory."""

    def __init__(self):
        from ..author.chips import Chip
        from . import launch, tuning
        from .settings import problem
        if problem is not None:
            raise problem
        check_extension()
        chip = Chip(settings.chip_facts())
        self.utils = Utils(chip)
        self.launcher_cls = launch.Launcher
        self._target = GPUTarget("cuda", chip.capability[0] * 10 + chip.capability[1], chip.warp_size)
        self._benchmark = tuning.benchmark
        _serve()

    @staticmethod
    def is_active():
        wanted = compiler.is_wanted()
        try:
            return bool(wanted or (wanted is None and not has_gpu()))
        except ImportError:  # no torch
            return False

    def get_current_target(self):
        return self._target

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=None):
        return divmod(self._target.arch, 10)

    def get_active_torch_device(self):
        import torch

        from . import host
        return torch.device("cuda", 0) if host.installed else torch.device("cpu")

    def get_device_interface(self):
        from . import cuda_api
        say_once(NOT_GPU_TIME)
        return cuda_api.Interface

    def map_python_to_cpp_type(self, kind):
        from triton.backends.nvidia.driver import ty_to_cpp
        return ty_to_cpp(kind)

    def get_benchmarker(self):
        return self._benchmark

    def get_empty_cache_for_benchmark(self):
        return None

    def clear_cache(self, cache):
        pass


def _serve():
    """From now on kernels for CUDA targets are compiled by KgvmBackend, and by nobody else."""
    import triton
    from triton.backends import backends
    from triton.runtime import jit

    from ..author import lazy_kernel
    from . import tuning
    if compiler.KgvmBackend.serving:
        return
    compiler.KgvmBackend.serving = True
    entry = backends["nvidia"]
    backends["nvidia"] = type(entry)(compiler=compiler.KgvmBackend, driver=entry.driver)
    backends.pop("kgvm", None)  # the same class: Triton wants one compiler for a target
    triton.compiler.compiler.max_shared_mem.cache_clear()
    lazy_kernel.install()  # registers and shared memory, for host code that computes occupancy
    tuning.install()
    make_binder = jit.create_function_from_signature

    def make_native_binder(*args):
        """Reading an argument's dtype and address is no business of host.py's mode, and costs microseconds there."""
        import torch
        bind, native = make_binder(*args), torch._C.DisableTorchFunction

        def native_bind(*args, **kwargs):
            with native():
                return bind(*args, **kwargs)

        return native_bind

    jit.create_function_from_signature = make_native_binder


def _importer():
    """The package on whose behalf Triton is being imported."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        package = name.split(".", 1)[0]
        if package not in ("importlib", "triton", "kgbench"):
            return package
        frame = frame.f_back
    return ""


def _on_discovery():
    """Triton reads this file while it is being imported: where it is to serve, host code is mapped from here on."""
    wanted = compiler.is_wanted()
    torch = sys.modules.get("torch")
    if wanted is False or getattr(getattr(torch, "__spec__", None), "_initializing", False):
        return
    if wanted is None and (_importer() == "torch" or os.environ.get("TRITON_INTERPRET") == "1"):
        return
    try:
        if wanted is None and has_gpu():
            return
        check_extension()
        from . import host
        facts = settings.chip_facts()
    except (ImportError, ValueError) as error:
        if wanted:
            print(f"kgvm: not active: {error}", file=sys.stderr)
        return
    stand_alone()
    if host.install(facts) and wanted is None:
        print("kgvm: no GPU here: Triton kernels run on kgbench's virtual machine, and device 'cuda' means the CPU "
              "(KGVM=0 turns this off)", file=sys.stderr)


if "triton.runtime.driver" not in sys.modules:  # else somebody imports this file by hand
    _on_discovery()
