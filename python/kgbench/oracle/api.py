# SPDX-License-Identifier: Apache-2.0
"""What reference.py files use: `from kgbench.oracle import Expected, round_to`."""

import torch

from kgbench.oracle.dtypes import NAMES, TORCH


class Expected:
    """An expected output.

    value      fp64, complex128, int64 or bool tensor (a number counts as a 0-d tensor)
    magnitude  what the error bound scales with, same shape, real; default |value|
    dtype      the output's dtype, a name ("i8") or a torch dtype; default: what the baseline gives
    rule       how the comparison differs from the error class (src/model/compare.hpp): "ties", "unordered", "skip",
               "exact", "bernoulli"
    source     for index outputs: the fp64 values that the indices address along `dim`
    """

    def __init__(self, value, magnitude=None, dtype=None, rule=None, source=None, dim=-1):
        self.value = torch.as_tensor(value)
        self.magnitude = magnitude
        self.dtype = NAMES.get(dtype, dtype)
        self.rule = rule
        self.source = source
        self.dim = dim


def round_to(value, dtype):
    """`value` rounded once to `dtype` (name or torch dtype) and widened again: a rounding that the operator prescribes."""
    target = TORCH.get(dtype, dtype)
    return value.to(target).to(value.dtype)
