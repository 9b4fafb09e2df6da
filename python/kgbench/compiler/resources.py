# SPDX-License-Identifier: Apache-2.0
"""Registers, shared memory and spills of a compiled kernel."""

import os
import re
import subprocess
import tempfile

import triton


def of_kernel(compiled, target):
    """Returns (registers, shared bytes, spills) of a CompiledKernel; spills in bytes (NVIDIA) or registers (AMD)."""
    shared = int(compiled.metadata.shared or 0)
    if target.backend == "hip":
        registers, spills = _of_amdgcn(compiled.asm["amdgcn"])
    else:
        registers, spills = _of_cubin(compiled.asm["cubin"])
    return registers, shared, spills


def _of_amdgcn(text):
    def value(name):
        found = re.search(r"\.%s:\s*(\d+)" % name, text)
        return int(found.group(1)) if found else 0
    return value("vgpr_count"), value("vgpr_spill_count") + value("sgpr_spill_count")


def _of_cubin(cubin):
    tool = os.path.join(os.path.dirname(triton.__file__), "backends", "nvidia", "bin", "cuobjdump")
    with tempfile.NamedTemporaryFile(suffix=".cubin", dir=os.environ.get("TMPDIR")) as file:
        file.write(cubin)
        file.flush()
        out = subprocess.run([tool, "--dump-resource-usage", file.name], capture_output=True, text=True, timeout=60)
    registers = re.search(r"\bREG:(\d+)", out.stdout)
    local = re.search(r"\bLOCAL:(\d+)", out.stdout)
    stack = re.search(r"\bSTACK:(\d+)", out.stdout)
    if registers is None:
        raise RuntimeError("cuobjdump gave no resource usage: " + (out.stderr or out.stdout)[:200])
    spills = max(int(local.group(1)) if local else 0, int(stack.group(1)) if stack else 0)
    return int(registers.group(1)), spills
