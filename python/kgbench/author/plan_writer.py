# SPDX-License-Identifier: Apache-2.0
"""Recordings as JSON: docs/contracts/plan.md."""

import base64
import json
import math

import torch

from . import nodes
from .nodes import Constant, Copy, Fill, Launch, Pointer, Read, Upload

VERSION = 1


class RecordedCall:
    """Steps, events and returned objects of one call. `joined`: the newest steps that its return follows."""

    __slots__ = ("steps", "events", "outputs", "structure", "joined")

    def __init__(self, steps, events, structure, outputs, joined=()):
        self.steps, self.events, self.structure, self.outputs = steps, events, structure, outputs
        self.joined = joined

    def returns_inputs(self):
        """Whether all returned tensors, and there are some, lie in arguments of the call."""
        held = [leaf.view.buffer for leaf in self.outputs if leaf.view is not None and leaf.view.buffer is not None]
        return bool(held) and all(buffer.kind == "input" for buffer in held)

    def buffers(self):
        """Every buffer that the call's nodes and outputs mention."""
        for step in self.steps:
            yield from nodes.buffers_of(step.node)
        for leaf in self.outputs:
            if leaf.view is not None and leaf.view.buffer is not None:
                yield leaf.view.buffer


class _Numbering:
    """Buffers and kernels of one recording by order of first mention."""

    def __init__(self):
        self.buffers, self.kernels = {}, {}
        self.order, self.kernel_order = [], []

    def buffer(self, buffer):
        if buffer is None:
            return -1
        number = self.buffers.get(buffer)
        if number is None:
            number = self.buffers[buffer] = len(self.order)
            self.order.append(buffer)
        return number

    def kernel(self, kernel):
        number = self.kernels.get(kernel)
        if number is None:
            number = self.kernels[kernel] = len(self.kernel_order)
            self.kernel_order.append(kernel)
        return number


def _number(value):
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value


def _view(view, numbering):
    return {"at": [numbering.buffer(view.buffer), view.offset if view.buffer is not None else 0],
            "dtype": view.dtype, "shape": list(view.shape), "strides": list(view.strides), "conj": view.conj,
            "neg": view.neg}


def _argument(value, numbering):
    if isinstance(value, Pointer):
        result = {"ptr": [numbering.buffer(value.buffer), value.offset]}
        if value.view is not None:
            dtype, shape, strides = value.view
            result.update(dtype=dtype, shape=list(shape), strides=list(strides))
        return result
    return {"float": _number(value)} if isinstance(value, float) else {"int": int(value)}


def _node(node, numbering):
    if isinstance(node, Launch):
        return {"node": "launch", "kernel": numbering.kernel(node.kernel), "grid": list(node.grid),
                "args": [_argument(a, numbering) for a in node.args], "file": node.where.file, "line": node.where.line}
    if isinstance(node, Fill):
        return {"node": "fill", "dst": _view(node.dst, numbering), "value": _base64(node.value), "op": node.op}
    if isinstance(node, Copy):
        return {"node": "copy", "dst": _view(node.dst, numbering), "src": _view(node.src, numbering), "op": node.op,
                "file": node.where.file, "line": node.where.line}
    if isinstance(node, Upload):
        return {"node": "upload", "dst": [numbering.buffer(node.dst.buffer), node.dst.offset],
                "bytes": _base64(node.data), "op": node.op, "file": node.where.file, "line": node.where.line,
                "relocations": [[at, [numbering.buffer(p.buffer), p.offset]] for at, p in node.relocations]}
    if isinstance(node, Read):
        return {"node": "read", "src": _view(node.src, numbering), "op": node.op, "file": node.where.file,
                "line": node.where.line, "bytes": None if node.data is None else _base64(node.data)}
    assert isinstance(node, Constant)
    return {"node": "constant", "kind": node.kind, "dst": _view(node.dst, numbering), "params": list(node.params)}


def _base64(data):
    return base64.b64encode(data).decode()


def _event(event):
    return {"kind": event.kind, "what": event.what, "file": event.where.file, "line": event.where.line}


def _call(call, places, number, numbering):
    streams = {0: 0}  # by order of first mention
    written = []
    for step in call.steps:
        entry = _node(step.node, numbering)
        if stream := streams.setdefault(step.stream, len(streams)):
            entry["stream"] = stream
        if after := _indices(step.after, places, number):
            entry["after"] = after
        written.append(entry)
    result = {"nodes": written, "structure": call.structure,
              "outputs": [_leaf(leaf, numbering) for leaf in call.outputs],
              "events": [_event(e) for e in call.events]}
    if len(streams) > 1:
        result["joined"] = _indices(call.joined, places, number)
    return result


def _indices(steps, places, number):
    """Where steps stand in call `number`; those of earlier calls (an event may be older) come before in any case."""
    found = (places.get(step) for step in steps)
    return sorted(index for call, index in filter(None, found) if call == number)


def _freed(freed, places, calls, job, imported):
    """[call, index of the first step that comes after]; what went before this job is free behind the import's steps."""
    if freed.step in places:
        return list(places[freed.step])
    return [freed.call, len(calls[freed.call].steps)] if freed.job == job else [0, imported]


def recording_json(target, inputs, calls, job=0, imported=0):
    """A job's recording as bytes of JSON. `inputs`: every input buffer of every call; `calls`: RecordedCall each, of
    which the first begins with `imported` steps of the import."""
    numbering = _Numbering()
    for buffer in inputs:
        numbering.buffer(buffer)
    places = {step: (number, i) for number, call in enumerate(calls) for i, step in enumerate(call.steps)}
    written = [_call(call, places, number, numbering) for number, call in enumerate(calls)]
    buffers = []
    for buffer in numbering.order:
        entry = {"kind": buffer.kind, "bytes": buffer.bytes, "call": buffer.call}
        if buffer.kind == "input":
            entry["arg"] = buffer.arg
        if buffer.reuses is not None:
            entry["reuses"] = numbering.buffer(buffer.reuses)
        if buffer.freed is not None:
            entry["freed"] = _freed(buffer.freed, places, calls, job, imported)
        buffers.append(entry)
    kernels = [{"name": k.name, "ttir": k.ttir, "options": k.options, "signature": k.signature,
                "parameters": k.parameters} for k in numbering.kernel_order]
    recording = {"version": VERSION, "target": target, "kernels": kernels, "buffers": buffers, "calls": written}
    return json.dumps(recording, separators=(",", ":"), allow_nan=False).encode()


# -- returned objects --------------------------------------------------------------------------------------------
class Leaf:
    """One returned object: a view, or the JSON of a Python value."""

    __slots__ = ("path", "type", "view", "scalar", "odd")

    def __init__(self, path, kind, view, scalar, odd):
        self.path, self.type, self.view, self.scalar, self.odd = path, kind, view, scalar, odd


def _leaf(leaf, numbering):
    result = {"path": leaf.path, "type": leaf.type}
    if leaf.view is not None:
        result["tensor"] = _view(leaf.view, numbering)
    else:
        result["scalar"] = leaf.scalar
    result["odd"] = leaf.odd
    return result


_PLAIN_TENSORS = {torch.Tensor, torch.nn.Parameter}
_MAX_DEPTH = 4
_MAX_LEAVES = 10000
_MAX_TEXT = 1000  # characters of a returned string


def returned(recorder, value):
    """(structure, leaves) of what an entry returned, depth first."""
    leaves = []
    with torch._C.DisableTorchFunctionSubclass():  # no method of a subclass answers for it
        structure = _walk(recorder, value, "return", leaves, 0)
    return structure, leaves


def _walk(recorder, value, path, leaves, depth):
    kind = type(value)
    if len(leaves) >= _MAX_LEAVES:
        raise nodes.Unsupported(f"a return of more than {_MAX_LEAVES} objects")
    if value is None:
        if depth:
            leaves.append(Leaf(path, "NoneType", None, None, False))
        return "none"
    if issubclass(kind, torch.Tensor):
        leaves.append(_tensor_leaf(recorder, value, path))
        return "tensor"
    if kind in (tuple, list) or (issubclass(kind, tuple) and kind.__module__ == "torch.return_types"):
        if depth >= _MAX_DEPTH:
            raise nodes.Unsupported(f"a return nested more than {_MAX_DEPTH} deep")
        for i, item in enumerate(value):
            _walk(recorder, item, f"{path}[{i}]", leaves, depth + 1)
        return f"{'list' if kind is list else 'tuple'}[{len(value)}]"
    scalar = value if kind in (int, float, bool) else nodes.clean_text(value, _MAX_TEXT) if kind is str else None
    scalar = [_number(value.real), _number(value.imag)] if kind is complex else _number(scalar)
    leaves.append(Leaf(path, nodes.type_name(kind), None, scalar, False))
    return nodes.type_name(kind)


def _tensor_leaf(recorder, value, path):
    """A tensor's leaf. What is odd: a subclass, instance attributes, a tensor that lives elsewhere, gradients."""
    kind = type(value)
    plain = kind in _PLAIN_TENSORS
    attributes = object.__getattribute__(value, "__dict__") if hasattr(kind, "__dict__") else {}
    hooks = torch.Tensor._backward_hooks.__get__(value) if plain else None
    if not torch.Tensor.is_cuda.__get__(value):
        # A tensor of the host has no place in a plan; the structure check reports its type.
        return Leaf(path, f"{nodes.type_name(kind)}({torch.Tensor.device.__get__(value).type})", None, None, not plain)
    odd = not plain or bool(attributes) or bool(hooks)
    try:
        view = recorder.view(value if plain else value.as_subclass(torch.Tensor))
    except Exception as error:  # a subclass without storage, a dtype that plans do not know
        if plain:
            recorder.event("recorder_unsupported", str(error))
        return Leaf(path, nodes.type_name(kind), None, None, odd)
    if view.buffer is not None:
        recorder.touch(view.buffer)
    return Leaf(path, nodes.type_name(kind), view, None, odd)

