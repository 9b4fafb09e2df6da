# SPDX-License-Identifier: Apache-2.0
"""kgvm: Triton without a GPU. Kernels run on kgbench's virtual machine, on CPU tensors, every access checked.

Three ways in (docs/run-triton-without-a-gpu.md): installed, it is a Triton backend that is active where no GPU is;
`python -m kgbench.kgvm script.py` runs one script under it; `kgbench.kgvm.activate()` turns it on in this process.
"""
from .settings import Settings, settings

__all__ = ["KernelFault", "Settings", "activate", "findings", "is_active", "settings"]


def activate(**changes):
    """Makes Triton launch on the virtual machine and maps `device='cuda'` to CPU tensors, for the rest of the process.

    `changes` are fields of Settings: on_finding="warn", threads=4. Call it before the script makes its tensors.
    """
    settings.update(**changes)
    from . import driver, host  # not above: Triton imports this package while it is being imported itself
    driver.check_extension()
    driver.stand_alone()
    host.install(settings.chip_facts())
    from triton.runtime import driver as active
    if not isinstance(active._active, driver.KgvmDriver):
        active.set_active(driver.KgvmDriver())


def is_active():
    """Whether launches of this process go to the virtual machine."""
    import sys
    runtime = sys.modules.get("triton.runtime.driver")
    if runtime is None:
        return False
    from .driver import KgvmDriver
    return isinstance(runtime.driver._active, KgvmDriver)


def findings():
    """What was found wrong so far in this process: a list of kgbench.kgvm.faults.Fault."""
    from . import faults
    return list(faults.found)


def __getattr__(name):
    if name == "KernelFault":
        from .faults import KernelFault
        return KernelFault
    raise AttributeError(f"module 'kgbench.kgvm' has no attribute '{name}'")
