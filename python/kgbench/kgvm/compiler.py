# SPDX-License-Identifier: Apache-2.0
"""Triton's compiler plug-in: the CUDA backend with every stage after TTIR left out."""
import os

from triton.backends.compiler import Language
# The module, not its class: Triton takes the one backend class that it finds among this file's names.
from triton.backends.nvidia import compiler as _nvidia


class KgvmBackend(_nvidia.CUDABackend):
    """Kernels see a CUDA device, since host code asks for one; what runs is their TTIR."""

    serving = False  # set by the driver: until then CUDA targets are the real backend's

    @staticmethod
    def supports_target(target):
        return KgvmBackend.serving and target.backend == "cuda"

    def __init__(self, target):
        super().__init__(target)
        self.binary_ext = "ttir"

    def add_stages(self, stages, options, language):
        if language != Language.TRITON:
            raise RuntimeError("kgvm: a Gluon kernel is written for one GPU's registers and has no TTIR; only Triton "
                               "kernels run without a GPU")
        capability = self._parse_arch(options.arch)

        def ttir(source, metadata):
            module = self.make_ttir(source, metadata, options, capability)
            metadata.update(name=module.get_entry_func_name(), shared=0, tmem_size=0, tensordesc_meta=None,
                            global_scratch_size=0, global_scratch_align=1, profile_scratch_size=0,
                            profile_scratch_align=1)
            return module

        stages["ttir"] = ttir

    def pack_metadata(self, metadata):
        return ()

    def hash(self):
        return f"kgvm-1-{self.target.arch}"


def is_wanted():
    """KGVM=1 asks for the plug-in, KGVM=0 refuses it; unset, it is there for machines without a GPU."""
    asked = os.environ.get("KGVM", "").strip().lower()
    if asked in ("1", "true", "yes", "on"):
        return True
    return None if asked == "" else False
