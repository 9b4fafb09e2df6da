# SPDX-License-Identifier: Apache-2.0
"""The arguments of one call, made from its JSON: phantom tensors, numbers, dtypes, a generator."""

import base64
import struct

import torch

from . import phantom
from .nodes import DTYPES

KINDS = ("tensor", "tensors", "pointers", "int", "float", "bool", "str", "complex", "ints", "dtype", "generator",
         "none")


class Arguments:
    """Positional and keyword arguments of a call and the input buffers behind them, in the order of tensors_of()."""

    def __init__(self, recorder, call, number, host_values, generator):
        self.positional, self.keyword, self.inputs = [], {}, []
        self._recorder, self._number, self._host, self._generator = recorder, number, host_values, generator
        for arg in call["args"]:
            value = self._value(arg)
            if arg.get("keyword"):
                self.keyword[arg["name"]] = value
            else:
                self.positional.append(value)

    def _value(self, arg):
        kind = next((k for k in KINDS if k in arg), None)
        if kind is None:
            raise ValueError(f"argument {arg.get('name')!r} has none of the kinds {', '.join(KINDS)}")
        value, name = arg[kind], arg["name"]
        if kind == "tensor":
            return self._tensor(name, value)
        if kind == "tensors":
            return [None if spec is None else self._tensor(f"{name}[{i}]", spec) for i, spec in enumerate(value)]
        if kind == "pointers":
            return self._pointers(name, value)
        if kind == "complex":
            return complex(*map(float, value))
        if kind == "dtype":
            return DTYPES[value]
        if kind == "generator":
            return self._generator
        if kind == "none":
            return None
        return {"int": int, "float": float, "bool": bool, "str": str, "ints": list}[kind](value)

    def _input(self, path, size):
        buffer = self._recorder.input(size, path)
        self.inputs.append(buffer)
        return buffer

    def _tensor(self, path, spec):
        dtype = DTYPES[spec["dtype"]]
        buffer = self._input(path, spec["storage"] * dtype.itemsize)
        buffer.writable = bool(spec.get("mutated"))
        given = self._host.get(f"{self._number}/{path}") if spec.get("host") else None
        if given is not None:
            data = base64.b64decode(given)
            if len(data) != buffer.bytes:
                raise ValueError(f"host value of {path} has {len(data)} bytes, its storage has {buffer.bytes}")
            buffer.host_readable = True
            if data:
                phantom.decoy_bytes(buffer).copy_(torch.frombuffer(bytearray(data), dtype=torch.uint8))
        else:
            phantom.decoy_for_domain(buffer, spec, dtype)
        return phantom.tensor_on(buffer, spec["shape"], spec["strides"], dtype, spec.get("offset", 0))

    def _pointers(self, name, specs):
        """The executor writes the addresses of the items into the array, so reading them tells nothing of values."""
        array = self._input(name, 8 * len(specs))
        addresses = [item.data_ptr() for item in [self._tensor(f"{name}[{i}]", s) for i, s in enumerate(specs)]]
        array.writable, array.host_readable = False, True
        if addresses:
            packed = struct.pack(f"{len(addresses)}q", *addresses)
            phantom.decoy_bytes(array).copy_(torch.frombuffer(bytearray(packed), dtype=torch.uint8))
        return phantom.tensor_on(array, (len(specs),), (1,), torch.int64)
