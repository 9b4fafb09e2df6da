# SPDX-License-Identifier: Apache-2.0
"""Turns the arguments of a call into Python values: the same bytes that the executor gives to the kernels."""
import json

import torch

from kgbench import _kgbench

DTYPES = {
    "b8": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
    "i64": torch.int64, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64,
    "f8e4m3": torch.float8_e4m3fn, "f8e5m2": torch.float8_e5m2, "f16": torch.float16, "bf16": torch.bfloat16,
    "f32": torch.float32, "f64": torch.float64, "c64": torch.complex64, "c128": torch.complex128,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


def _float(value):
    return float(value)  # JSON numbers, and "nan", "inf", "-inf"


class Arguments:
    """The arguments of one call. `values` makes real tensors; with seed None only `meta` can be asked for."""

    def __init__(self, call, seed=None, trial=0, number=0):
        self.args = call["args"]
        self.seed, self.trial, self.number = seed, trial, number
        self.specs = {}  # path -> spec, in order
        for arg in self.args:
            if "tensor" in arg:
                self.specs[arg["name"]] = arg["tensor"]
            for key in ("tensors", "pointers"):
                for i, spec in enumerate(arg.get(key, ())):
                    self.specs[f"{arg['name']}[{i}]"] = spec

    def storage(self, path):
        """The raw bytes of a tensor's storage as a writable 1-d tensor of its dtype."""
        spec = self.specs[path]
        dtype = DTYPES[spec["dtype"]]
        data = _kgbench.generate(json.dumps(spec), path, self.seed, self.trial, self.number)
        if not data:
            return torch.empty(0, dtype=dtype)
        return torch.frombuffer(bytearray(data), dtype=torch.uint8).view(dtype)

    def real(self, path):
        """The tensor in its own dtype, strided as the candidate gets it."""
        spec = self.specs[path]
        return torch.as_strided(self.storage(path), spec["shape"], spec["strides"], spec["offset"])

    def wide(self, path):
        """The tensor for the reference: floats as fp64, complex as complex128, integers and bools as they are."""
        tensor = self.real(path)
        if tensor.dtype.is_complex:
            return tensor.to(torch.complex128)
        return tensor.to(torch.float64) if tensor.dtype.is_floating_point else tensor

    def meta(self, path):
        spec = self.specs[path]
        storage = torch.empty(spec["storage"], dtype=DTYPES[spec["dtype"]], device="meta")
        return torch.as_strided(storage, spec["shape"], spec["strides"], spec["offset"])

    def build(self, make, device="cpu"):
        """(positional values, keyword values); `make` turns a path into a tensor."""
        positional, keyword = [], {}
        for arg in self.args:
            value = self._value(arg, make, device)
            if arg.get("keyword"):
                keyword[arg["name"]] = value
            else:
                positional.append(value)
        return positional, keyword

    def named(self, make, device="cpu"):
        return {arg["name"]: self._value(arg, make, device) for arg in self.args}

    def _value(self, arg, make, device):
        name = arg["name"]
        if "tensor" in arg:
            return make(name)
        for key in ("tensors", "pointers"):
            if key in arg:
                return [make(f"{name}[{i}]") for i in range(len(arg[key]))]
        if "none" in arg:
            return None
        if "dtype" in arg:
            return DTYPES[arg["dtype"]]
        if "float" in arg:
            return _float(arg["float"])
        if "complex" in arg:
            return complex(*map(_float, arg["complex"]))
        if "generator" in arg:
            return torch.Generator().manual_seed((self.seed or 0) & (2**63 - 1)) if device == "cpu" else None
        for key in ("int", "bool", "str", "ints"):
            if key in arg:
                return arg[key]
        raise ValueError(f"argument '{name}' has no value that the oracle knows: {sorted(arg)}")

    def dtypes(self):
        """Real dtypes by path, for references that declare a keyword `dtypes`."""
        return {path: DTYPES[spec["dtype"]] for path, spec in self.specs.items()}

    def mutated(self):
        return [path for path, spec in self.specs.items() if spec.get("mutated")]
