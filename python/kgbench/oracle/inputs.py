# SPDX-License-Identifier: Apache-2.0
"""Arguments of a call as Python values: tensors with the very bytes that kernels get."""

import json

import torch

from kgbench import _kgbench
from kgbench.oracle.dtypes import TORCH

# Types that torch makes no tensor of from raw bytes; they are viewed through one of the same width.
_RAW = {"b8": torch.uint8}


def tensors_of(argument):
    """(path, spec) of every tensor of an argument in wire form."""
    name = argument["name"]
    if "tensor" in argument:
        return [(name, argument["tensor"])]
    items = argument.get("tensors", argument.get("pointers", ()))
    return [(f"{name}[{i}]", spec) for i, spec in enumerate(items) if spec is not None]


def real_tensor(spec, path, seed, trial, number):
    """The tensor with its real dtype, strides and values."""
    storage = bytearray(_kgbench.generate(json.dumps(spec), path, seed, trial, number))
    dtype = TORCH[spec["dtype"]]
    if not storage:
        return torch.empty_strided(spec["shape"], spec["strides"], dtype=dtype)
    flat = torch.frombuffer(storage, dtype=_RAW.get(spec["dtype"], dtype)).view(dtype)
    return flat.as_strided(spec["shape"], spec["strides"], spec["offset"])


def value_of(argument, make):
    """The Python value of an argument in wire form; `make(spec, path)` makes tensors."""
    name = argument["name"]
    if "tensor" in argument:
        return make(argument["tensor"], name)
    for key in ("tensors", "pointers"):
        if key in argument:
            return [None if spec is None else make(spec, f"{name}[{i}]") for i, spec in enumerate(argument[key])]
    if "dtype" in argument:
        return TORCH[argument["dtype"]]
    if "complex" in argument:
        return complex(*map(float, argument["complex"]))  # parts may be "nan" or "inf"
    for key in ("int", "float", "bool", "str", "ints"):
        if key in argument:
            return float(argument[key]) if key == "float" else argument[key]
    return None  # none, generator


def arguments(call, make):
    """(positional, keyword, by name) of the whole call."""
    by_name = {a["name"]: value_of(a, make) for a in call["args"]}
    positional = [by_name[a["name"]] for a in call["args"] if not a.get("keyword")]
    keyword = {a["name"]: by_name[a["name"]] for a in call["args"] if a.get("keyword")}
    return positional, keyword, by_name
