# SPDX-License-Identifier: Apache-2.0
"""What a reference.py may use besides torch: Expected values with their magnitude, and rounding to a dtype."""
import dataclasses

import torch

from kgbench.oracle.dtypes import TORCH


@dataclasses.dataclass
class Expected:
    """One output of a reference.

    value      fp64, complex128, integer or bool tensor (or a Python number, for a 0-d output).
    magnitude  what the error bound scales with, of the value's shape or broadcast to it: for a sum, the sum of
               absolute values. Default: |value|. For complex values it holds for both components. For codes of the
               class `quantised`: how far the quotient may lie off; another code is right beside a midpoint alone.
    dtype      dtype of the output, a torch dtype or a name ("i8"), where the baseline does not give it.
    rule       None, or how values are compared: "exact"; "skip" (undefined, never compared); "ties" and
               "permutation" (index outputs: any index of an equal element, none twice along `dim`);
               "unordered" (any order along `dim`). Random operators give the law of every element, with the
               parameters in `value` and `magnitude`: "bernoulli" (probability of a one), "uniform" (from value to
               magnitude; where they are equal the element is no sample), "exponential" (rate), "poisson" (mean).
    source     for index outputs with a rule: the values that indices address, along `dim`. Default: the first tensor
               argument and its argument `dim`.
    """
    value: object
    magnitude: object = None
    dtype: object = None
    rule: str | None = None
    source: object = None
    dim: int = -1

    def __post_init__(self):
        self.dtype = TORCH.get(self.dtype, self.dtype)


def round_to(x, dtype):
    """x (fp64 or complex128) with every element rounded once to the nearest value of `dtype` (a torch dtype or a name)."""
    dtype = TORCH.get(dtype, dtype)
    if dtype in (torch.float64, torch.complex128) or not (dtype.is_floating_point or dtype.is_complex):
        return x
    if x.is_complex():
        part = {torch.complex64: torch.float32}.get(dtype, dtype)
        return torch.complex(round_to(x.real, part), round_to(x.imag, part))
    x = x.to(torch.float64)
    if dtype in (torch.float32, torch.complex64):
        return x.to(torch.float32).to(torch.float64)
    return _round_narrow(x, torch.finfo(dtype), dtype)


def _round_narrow(x, info, dtype):
    # torch goes from f64 to narrow types through f32, which rounds twice; this rounds once. Scaling by a power of two
    # is exact, and torch.round rounds halves to even.
    smallest = torch.tensor(info.smallest_normal, dtype=torch.float64)
    _, exponent = torch.frexp(torch.maximum(x.abs(), smallest))
    unit = torch.ldexp(torch.full_like(x, info.eps), exponent - 1)  # the last place
    rounded = torch.copysign(torch.round(x / unit) * unit, x)
    over = torch.full_like(x, torch.nan if dtype == torch.float8_e4m3fn else torch.inf).copysign(x)
    rounded = torch.where(rounded.abs() > info.max, over, rounded)
    return torch.where(torch.isfinite(x), rounded, over if dtype == torch.float8_e4m3fn else x)
