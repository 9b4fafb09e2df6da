# SPDX-License-Identifier: Apache-2.0
"""Every case of the suite, by family."""

import cases_asm
import cases_atomic
import cases_contraction
import cases_control
import cases_convert
import cases_descriptor
import cases_dot
import cases_float
import cases_integer
import cases_libdevice
import cases_math
import cases_memory
import cases_model
import cases_reduce
import cases_shape
import cases_tutorial

MODULES = (
    cases_integer,
    cases_float,
    cases_contraction,
    cases_convert,
    cases_math,
    cases_libdevice,
    cases_reduce,
    cases_shape,
    cases_memory,
    cases_descriptor,
    cases_dot,
    cases_atomic,
    cases_control,
    cases_asm,
    cases_tutorial,
    cases_model,
)
FAMILIES = {module.FAMILY: module.CASES for module in MODULES}
CASES = [case for cases in FAMILIES.values() for case in cases]
