# SPDX-License-Identifier: Apache-2.0
"""What a launch must know of a compiled kernel."""


def of_kernel(compiled, target):
    """Returns (description, code) of a CompiledKernel: docs/contracts/wire.md, `image`."""
    meta = compiled.metadata
    if getattr(meta, "tensordesc_meta", None):
        raise ValueError("the kernel takes host tensor descriptors, which launch plans carry as their parts")
    code = compiled.asm["hsaco" if target.backend == "hip" else "cubin"]

    def number(name, default=0):
        return int(getattr(meta, name, default) or default)
    return {"entry": meta.name, "warps": number("num_warps", 4), "ctas": number("num_ctas", 1),
            "shared_bytes": number("shared"), "scratch_bytes": number("global_scratch_size"),
            "profile_bytes": number("profile_scratch_size"),
            "cooperative": bool(getattr(meta, "launch_cooperative_grid", False)),
            "dependent_launch": bool(getattr(meta, "launch_pdl", False)), "code_bytes": len(code)}, code


def of_text(kernel, ttir):
    """Returns (description, code) of a kernel that travels as its TTIR, ended by a zero as loaders of text want it."""
    options, code = kernel["options"], ttir + b"\0"
    return {"entry": kernel["name"], "warps": int(options.get("num_warps", 4)), "ctas": 1, "shared_bytes": 0,
            "scratch_bytes": 0, "profile_bytes": 0, "cooperative": False, "dependent_launch": False,
            "code_bytes": len(code)}, code
