# SPDX-License-Identifier: Apache-2.0
"""What a candidate may import, and whether it replaced functions of torch, Triton or the recorder.

Imports are judged when they happen, not by reading the text: an import that a `try` guards and that is refused is
an ImportError like any other, and the candidate goes on without it. Refused are packages that bring kernels of their
own (the work would not be the candidate's), other array libraries with a device, and ways to build native code.
Everything else may be imported: torch, triton, numpy, the standard library, ctypes included, since the process has
no device, no network and no files, and the plan alone counts.
"""

import importlib.abc
import operator
import sys
import types

KERNEL_PACKAGES = frozenset("""
    aiter apex awq bitsandbytes causal_conv1d cupy cudnn cutlass cuda deep_ep deep_gemm deepspeed exllamav2 fbgemm_gpu
    fla flag_gems flash_attn flash_attn_interface flash_mla flashinfer grouped_gemm helion hqq jax jaxlib kernels
    liger_kernel lightllm mamba_ssm marlin mlx natten numba nvidia nvmath onnxruntime pallas paddle pycuda pyopencl
    quack sageattention sgl_kernel sglang tensorflow tensorrt thunderkittens tilelang torch_scatter torch_sparse
    torchao torchaudio torchvision transformer_engine triton_dejavu triton_kernels tvm unsloth vllm warp xformers
""".split())
NATIVE_BUILDERS = frozenset(("torch.utils.cpp_extension", "torch._inductor", "cffi", "pybind11", "Cython", "cppyy"))


class ImportRefused(ImportError):
    """An import that the policy does not allow."""


class ImportGate(importlib.abc.MetaPathFinder):
    """First on sys.meta_path; refuses by package name what files below `root` import, and otherwise finds nothing."""

    def __init__(self, root):
        self._root = root

    def find_spec(self, fullname, path=None, target=None):
        if (fullname in NATIVE_BUILDERS or fullname.partition(".")[0] in KERNEL_PACKAGES | NATIVE_BUILDERS) \
                and self._asked_by_candidate():
            raise ImportRefused(f"import of {fullname} is not allowed: a candidate brings its own kernels, written in "
                                "Triton", name=fullname)
        return None

    def _asked_by_candidate(self):
        """Torch imports compilers of its own accord: only what the candidate's own line asks for is judged."""
        frame = sys._getframe(2)
        while frame is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename.startswith(self._root)


def install_import_gate(root):
    """From here on, imports by files below `root` are judged, also of what this process has loaded already."""
    for name in (KERNEL_PACKAGES | NATIVE_BUILDERS) - {"torch._inductor"}:  # torch's own parts hold on to that one
        if sys.modules.pop(name, None) is not None and "." in name:
            parent, _, leaf = name.rpartition(".")
            vars(sys.modules[parent]).pop(leaf, None)
    sys.meta_path.insert(0, ImportGate(root))


class Watch:
    """Remembers the functions of the modules and classes that a recording rests on."""

    def __init__(self):
        self._taken = [(owner, dict(vars(owner))) for owner in _watched()]

    def changed(self):
        """"torch.empty" and so on for everything that is no longer what it was."""
        found = []
        missing = object()
        for owner, names in self._taken:
            now = vars(owner)
            # By identity and without a line of Python for each name, since this is asked after every workload.
            same = all(map(operator.is_, map(now.get, names), names.values()))
            replaced = [] if same else [name for name, value in names.items() if now.get(name, missing) is not value
                        and (callable(value) or isinstance(value, (staticmethod, classmethod, property)))]
            if isinstance(owner, type) and len(now) > len(names):  # a new name may hide an inherited one
                replaced += [n for n in now if n not in names and any(n in vars(b) for b in owner.__mro__[1:-1])
                             and callable(now[n])]
            prefix = f"{owner.__module__}." if isinstance(owner, type) else ""
            found += [f"{prefix}{owner.__name__}.{name}" for name in replaced]
        return found


def _watched():
    import base64
    import json

    import torch
    import triton.compiler.code_generator  # imported late by Triton itself

    from kgbench import frame

    from . import (
        cuda_shim,
        dispatch,
        hooks,
        nodes,
        own_reads,
        phantom,
        plan_writer,
        recorder,
        session,
        streams,
        triton_driver,
        tuning,
    )
    owners = [
        torch, torch.Tensor, torch._C, torch.cuda, torch.nn.functional, torch._tensor,
        torch.utils._python_dispatch, triton.runtime.jit, triton.runtime.autotuner, triton.runtime.driver.__class__,
        triton.compiler.compiler, triton.compiler.code_generator, triton.language, triton.language.core,
        triton.language.standard, triton.testing, json, json.encoder, base64, frame, cuda_shim, dispatch, hooks, nodes,
        own_reads, phantom, plan_writer, recorder, session, streams, triton_driver, tuning]
    classes = [v for module in owners if isinstance(module, types.ModuleType) and _is_ours(module)
               for v in vars(module).values() if isinstance(v, type) and v.__module__ == module.__name__]
    return owners + classes


def _is_ours(module):
    return module.__name__.startswith(("kgbench.", "triton.runtime.", "triton.compiler."))
