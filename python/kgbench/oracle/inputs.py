# SPDX-License-Identifier: Apache-2.0
"""Arguments of a call as Python values: real ones from the seed, widened ones for a reference, meta ones for a contract."""

import json

import torch

from kgbench import _kgbench
from kgbench.oracle.dtypes import TORCH, wide

# Types that torch makes no tensor of from raw bytes; they are viewed through one of the same width.
_RAW = {"b8": torch.uint8}


def tensors_of(argument):
    """(path, spec) of every tensor of an argument in wire form."""
    name = argument["name"]
    if "tensor" in argument:
        return [(name, argument["tensor"])]
    items = argument.get("tensors", argument.get("pointers", ()))
    return [(f"{name}[{i}]", spec) for i, spec in enumerate(items)]


def real_tensor(spec, path, seed, trial, number):
    """The tensor with its real dtype, strides and values."""
    storage = bytearray(_kgbench.generate(json.dumps(spec), path, seed, trial, number))
    dtype = TORCH[spec["dtype"]]
    if not storage:
        return torch.empty_strided(spec["shape"], spec["strides"], dtype=dtype)
    flat = torch.frombuffer(storage, dtype=_RAW.get(spec["dtype"], dtype)).view(dtype)
    return flat.as_strided(spec["shape"], spec["strides"], spec["offset"])


def wide_tensor(spec, path, seed, trial, number):
    """As a reference sees it: fp64, complex128, int64 or bool, contiguous, memory of its own.

    Flat storages (1-d, contiguous) keep their length; a strided view is gathered.
    """
    real = real_tensor(spec, path, seed, trial, number)
    kind = wide(spec["dtype"])
    if spec["dtype"] == "u64":
        return real.view(torch.int64).clone(memory_format=torch.contiguous_format)
    if spec["dtype"] in ("u16", "u32") and spec["storage"]:
        real = torch.from_numpy(real.numpy().astype("int64"))
    return real.to(kind).clone(memory_format=torch.contiguous_format)


def meta_tensor(spec, *_):
    return torch.empty_strided(spec["shape"], spec["strides"], dtype=TORCH[spec["dtype"]], device="meta")


def value_of(argument, make):
    """The Python value of an argument in wire form; `make(spec, path)` makes tensors."""
    name = argument["name"]
    if "tensor" in argument:
        return make(argument["tensor"], name)
    for key in ("tensors", "pointers"):
        if key in argument:
            return [make(spec, path) for path, spec in tensors_of(argument)]
    if "dtype" in argument:
        return TORCH[argument["dtype"]]
    if "complex" in argument:
        return complex(*argument["complex"])
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


def dtypes_of(call):
    return {path: spec["dtype"] for argument in call["args"] for path, spec in tensors_of(argument)}
