# SPDX-License-Identifier: Apache-2.0
"""Compiles kernels on request: `python -m kgbench.compiler.worker FD`. docs/contracts/wire.md.

A kernel can take its compiler down (LLVM ends the process on some inline assembly), so the caller treats the death
of this process as the failure of that one kernel on that one target.
"""

import os
import sys
import tempfile
import time

from kgbench import frame


def _compile(header, ttir):
    import triton
    from kgbench.author import kernel_cache
    from kgbench.compiler import image, resources
    from kgbench.compiler.targets import AS_IT_IS, TARGETS, options_for

    if header["target"] == AS_IT_IS:
        described, code = image.of_text(header["kernel"], ttir)
        return {"ms": 0.0, "image": described}, code
    target = TARGETS[header["target"]]
    options = options_for(target, header["kernel"]["options"])
    start = time.perf_counter()
    # What Triton keeps of a kernel would be there for as long as the process is; the judge has a cache of its own.
    with tempfile.TemporaryDirectory(prefix="kernel-") as folder, kernel_cache.private(folder):
        path = os.path.join(folder, "kernel.ttir")
        with open(path, "wb") as file:
            file.write(ttir)
        compiled = triton.compile(path, target=target, options=options)
    ms = 1e3 * (time.perf_counter() - start)
    if header.get("image"):
        described, code = image.of_kernel(compiled, target)
        return {"ms": ms, "image": described}, code
    registers, shared, spills = resources.of_kernel(compiled, target)
    return {"registers": registers, "shared_bytes": shared, "spills": spills, "ms": ms}, b""


def _reply(header, blob):
    """The answer and the code that goes with it."""
    try:
        answer, code = _compile(header, blob)
        return {"id": header["id"], "ok": True, **answer}, code
    except Exception as error:  # a compiler raises many kinds; each is this kernel's failure, told in one line
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        text = lines[0] if lines else type(error).__name__
        return {"id": header["id"], "ok": False,
                "error": {"kind": "target_failure", "message": f"{type(error).__name__}: {text}"[:500]}}, b""


def main(fd):
    # Imported before the first request, so that its cost is nobody's.
    from kgbench.compiler.cache_keys import private_cache_keys
    private_cache_keys()
    while True:
        try:
            header, blob = frame.read(fd)
        except EOFError:
            return
        frame.write(fd, *_reply(header, blob))


if __name__ == "__main__":
    main(int(sys.argv[1]))
