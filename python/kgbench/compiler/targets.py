# SPDX-License-Identifier: Apache-2.0
"""The targets that Triton's wheel can compile for without a device."""

from triton.backends.compiler import GPUTarget

TARGETS = {
    "sm_80": GPUTarget("cuda", 80, 32),
    "sm_90": GPUTarget("cuda", 90, 32),
    "sm_100": GPUTarget("cuda", 100, 32),
    "gfx942": GPUTarget("hip", "gfx942", 64),
    "gfx950": GPUTarget("hip", "gfx950", 64),
}

# Not compiled: the plan's own text is what runs. For runtimes that compile it themselves, such as a driver's stand-in.
AS_IT_IS = "ttir"

# Options that one kernel may carry to a backend; everything else (paths above all) stays the judge's default.
CARRIED_OPTIONS = {
    "cuda": {"num_warps": int, "num_stages": int, "num_ctas": int, "maxnreg": int, "enable_fp_fusion": bool,
             "launch_cooperative_grid": bool, "launch_pdl": bool},
    "hip": {"num_warps": int, "num_stages": int, "enable_fp_fusion": bool, "waves_per_eu": int},
}


def options_for(target, texts):
    """Typed options from a plan's text options; unknown names are dropped, malformed values raise ValueError."""
    options = {}
    for name, kind in CARRIED_OPTIONS[target.backend].items():
        text = texts.get(name)
        if text is None or text == "None":
            continue
        options[name] = text == "True" if kind is bool else int(text)
    return options
