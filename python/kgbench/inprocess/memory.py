# SPDX-License-Identifier: Apache-2.0
"""The memory of one call: arguments at fixed places, filled with the judge's bytes before each call, outputs read back."""

import torch

from kgbench.oracle import inputs

MAX_DEPTH = 4
MAX_LEAVES = 10000
NAMES = {dtype: name for name, dtype in inputs.TORCH.items()}
PLAIN = {torch.Tensor, torch.nn.Parameter}


def bytes_of(tensor):
    """The elements in row-major order, as bytes of the host."""
    dense = tensor.detach().resolve_conj().resolve_neg().cpu()
    # A single element counts as contiguous whatever its stride, and cannot be viewed as bytes: it is copied.
    return dense.clone(memory_format=torch.contiguous_format).view(-1).view(torch.uint8).numpy().tobytes() if dense.numel() else b""


def storage_bytes(tensor):
    """All bytes of a tensor's storage, as a tensor."""
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(tensor.untyped_storage())


class Memory:
    """Arguments of one call. A graph that was recorded on them finds new values at the same places."""

    def __init__(self, call, device):
        self.specs, self.tensors, self.arrays, self._raw, self._given = {}, {}, {}, {}, {}  # by path
        self.device = device
        self.positional, self.keyword = [], {}
        for argument in call["args"]:
            value = self._value(argument)
            if argument.get("keyword"):
                self.keyword[argument["name"]] = value
            else:
                self.positional.append(value)

    def _value(self, argument):
        if "generator" in argument:
            return torch.Generator(device=self.device)
        value = inputs.value_of(argument, self._make)
        if "pointers" not in argument:
            return value
        array = torch.tensor([tensor.data_ptr() for tensor in value], dtype=torch.int64, device=self.device)
        self.arrays[argument["name"]] = array
        return array

    def _make(self, spec, path):
        dtype = inputs.TORCH[spec["dtype"]]
        raw = torch.zeros(spec["storage"] * dtype.itemsize, dtype=torch.uint8, device=self.device)
        flat = raw.view(dtype)
        self.specs[path], self._raw[path] = spec, raw
        self.tensors[path] = flat.as_strided(spec["shape"], spec["strides"], spec["offset"])
        return self.tensors[path]

    def sizes(self):
        """Bytes of every input buffer by path, arrays of addresses included."""
        return {path: raw.numel() for path, raw in self._raw.items()} | {n: 8 * a.numel() for n, a in self.arrays.items()}

    def fill(self, blob):
        """Takes the values of one call: the storages of all tensors, one behind the other."""
        at, view = 0, memoryview(blob)
        for path, raw in self._raw.items():
            size = raw.numel()
            if size:
                given = torch.frombuffer(bytearray(view[at:at + size]), dtype=torch.uint8)
                raw.copy_(given)
                if not self.specs[path].get("mutated"):
                    self._given[path] = raw.clone()
            at += size
        if at != len(blob):
            raise ValueError(f"{len(blob)} bytes of values came for {at} bytes of tensors")

    def changed(self):
        """Paths of inputs that were written although the schema does not allow it."""
        return [path for path, given in self._given.items() if not torch.equal(given, self._raw[path])]

    def owner(self, tensor):
        """Path of the argument whose memory a tensor lies in; None: memory of its own."""
        start = tensor.untyped_storage().data_ptr()
        return next((path for path, raw in self._raw.items() if raw.numel() and raw.data_ptr() == start), None)

    def poison(self, leaves, byte):
        """Overwrites what a replay is to write anew."""
        for tensor in leaves.values():
            if tensor.numel() and self.owner(tensor) is None:
                storage_bytes(tensor).fill_(byte)


class Returned:
    """What an entry returned, in the form of a plan without nodes (docs/contracts/plan.md)."""

    def __init__(self, value, memory, target):
        self.tensors = {}  # path: tensor
        self._memory, self._buffers, self._at, self._leaves = memory, [], {}, []
        for path, size in memory.sizes().items():
            self._at["input", path] = len(self._buffers)
            self._buffers.append({"kind": "input", "bytes": size, "call": 0, "arg": path})
        with torch._C.DisableTorchFunctionSubclass():  # no method of a subclass answers for it
            structure = self._walk(value, "return", 0)
        self.recording = {"version": 1, "target": target, "kernels": [], "buffers": self._buffers,
                          "calls": [{"nodes": [], "structure": structure, "outputs": self._leaves, "events": []}]}

    def _walk(self, value, path, depth):
        kind = type(value)
        if len(self._leaves) >= MAX_LEAVES or depth > MAX_DEPTH:
            raise ValueError("the entry returns too many objects, or nests them too deeply")
        if issubclass(kind, torch.Tensor):
            self._leaves.append(self._tensor(value, path))
            return "tensor"
        if kind in (tuple, list) or (issubclass(kind, tuple) and kind.__module__ == "torch.return_types"):
            for i, item in enumerate(value):
                self._walk(item, f"{path}[{i}]", depth + 1)
            return f"{'list' if kind is list else 'tuple'}[{len(value)}]"
        name = "none" if value is None else kind.__name__
        if value is not None or depth:
            self._leaves.append({"path": path, "type": kind.__name__, "scalar": _scalar(value), "odd": False})
        return name

    def _tensor(self, value, path):
        kind = type(value)
        attributes = object.__getattribute__(value, "__dict__") if hasattr(kind, "__dict__") else {}
        leaf = {"path": path, "type": kind.__name__, "odd": kind not in PLAIN or bool(attributes)}
        if value.device.type != self._memory.device or value.dtype not in NAMES:
            return {**leaf, "type": f"{kind.__name__}({value.device.type}, {value.dtype})", "scalar": None}
        if kind not in PLAIN:
            value = value.as_subclass(torch.Tensor)
        self.tensors[path] = value
        return {**leaf, "tensor": {"at": self._place(value), "dtype": NAMES[value.dtype], "shape": list(value.shape),
                                   "strides": list(value.stride()), "conj": value.is_conj(), "neg": value.is_neg()}}

    def _place(self, value):
        if not value.numel() or not value.untyped_storage().nbytes():
            return [-1, 0]
        owner = self._memory.owner(value)
        key = ("input", owner) if owner is not None else ("alloc", value.untyped_storage().data_ptr())
        if key not in self._at:
            self._at[key] = len(self._buffers)
            self._buffers.append({"kind": "alloc", "bytes": value.untyped_storage().nbytes(), "call": 0})
        return [self._at[key], value.storage_offset() * value.element_size()]


def _scalar(value):
    if type(value) is complex:
        return [_scalar(value.real), _scalar(value.imag)]
    if type(value) is float and value != value:
        return "nan"
    if type(value) is float and value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return value if type(value) in (int, float, bool) or value is None else str(value)[:1000]
