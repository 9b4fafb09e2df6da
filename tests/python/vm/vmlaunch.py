# SPDX-License-Identifier: Apache-2.0
"""Launches @triton.jit kernels on CPU tensors through the virtual machine: compilation stops at TTIR."""
import tempfile

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.backends.nvidia.compiler import CUDABackend
from triton.runtime import driver

try:
    from kgbench import _kgbench
except ImportError:
    _kgbench = None


class TtirBackend(CUDABackend):
    """The CUDA backend with every stage after TTIR left out."""

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "ttir"

    def add_stages(self, stages, options, language):
        capability = self._parse_arch(options.arch)

        def ttir(src, metadata):
            module = self.make_ttir(src, metadata, options, capability)
            metadata.update(
                name=module.get_entry_func_name(), shared=0, tmem_size=0, tensordesc_meta=None,
                global_scratch_size=0, global_scratch_align=1, profile_scratch_size=0,
                profile_scratch_align=1)
            return module

        stages["ttir"] = ttir

    def pack_metadata(self, metadata):
        return ()

    def hash(self):
        return "ttir-only"


class Launcher:
    """Stands where the CUDA launcher stands: hands text, grid and arguments to the virtual machine."""

    last = None  # the newest result, for the test that launched
    options = {}
    extra = []  # tensors that no argument names but the kernel may reach through stored addresses

    def __init__(self, src, metadata):
        self.signature = list(src.signature.values())
        self.names = list(src.signature)

    def __call__(self, gx, gy, gz, stream, function, packed, launch_metadata, enter, leave, *args):
        flat, names = [], []
        for kind, name, value in zip(self.signature, self.names, args):
            flatten(kind, name, value, flat, names)
        buffers, index = [], {}
        extra_names = [f"extra{i}" for i in range(len(Launcher.extra))]
        for name, tensor in zip(names + extra_names, flat + Launcher.extra):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                if storage.data_ptr() not in index:
                    index[storage.data_ptr()] = len(buffers)
                    buffers.append((name, storage.data_ptr(), storage.nbytes(), True))
        vm_args = []
        for value in flat:
            if isinstance(value, torch.Tensor):
                base = value.untyped_storage().data_ptr()
                vm_args.append(("ptr", index[base], value.data_ptr() - base))
            else:
                vm_args.append(value)
        Launcher.last = _kgbench.vm_run(function.decode(), (gx, gy, gz), vm_args, buffers, **Launcher.options)


def flatten(kind, name, value, flat, names):
    if isinstance(kind, tuple):
        for i, (k, v) in enumerate(zip(kind, value)):
            flatten(k, f"{name}[{i}]", v, flat, names)
    elif kind.startswith("tensordesc"):  # a host descriptor: base, sizes, strides
        parts = [value.base, *value.shape, *value.strides]
        flat += parts
        names += [name] * len(parts)
    elif kind != "constexpr":
        flat.append(value)
        names.append(name)


class Utils:
    @staticmethod
    def load_binary(name, kernel, shared, device):
        return 1, kernel, 32, 0, 1024

    @staticmethod
    def get_device_properties(device):
        return dict(max_shared_mem=232448, multiprocessor_count=132, max_num_regs=65536, warpSize=32)

    @staticmethod
    def unload_module(*args):
        pass


class Driver:
    utils = Utils()
    launcher_cls = Launcher

    def get_current_target(self):
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=0):
        return 0

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_benchmarker(self):
        return lambda call, quantiles=None, **kw: [1.0] * 3 if quantiles else 1.0


_cache = None


def install():
    triton.backends.backends["nvidia"] = type(triton.backends.backends["nvidia"])(
        compiler=TtirBackend, driver=triton.backends.backends["nvidia"].driver)
    driver.set_active(Driver())
    global _cache
    _cache = tempfile.TemporaryDirectory(prefix="kgb-vm-cache-")  # removed when the process ends
    triton.knobs.cache.dir = _cache.name


def launch(kernel, grid, *args, extra=(), vm_options=None, **kw):
    """Runs `kernel[grid](*args, **kw)` and returns the machine's result as a dict."""
    Launcher.last, Launcher.extra, Launcher.options = None, list(extra), dict(vm_options or {})
    kernel[grid](*args, **kw)
    return Launcher.last


def ttir_of(kernel, *args, **kw):
    """The TTIR text that a launch with these arguments would run."""
    return kernel.warmup(*args, grid=(1,), **kw).asm["ttir"].decode()
