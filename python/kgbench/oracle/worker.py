# SPDX-License-Identifier: Apache-2.0
"""Expected values on request: `python -m kgbench.oracle.worker FD`. docs/contracts/wire.md."""

import functools
import importlib.util
import inspect
import math
import sys
import traceback

import torch

from kgbench import frame
from kgbench.oracle import inputs
from kgbench.oracle.api import Expected
from kgbench.oracle.dtypes import NAMES, TORCH, wide

_KINDS = {torch.float64: "f64", torch.complex128: "c128", torch.int64: "i64", torch.bool: "b8"}


@functools.lru_cache(maxsize=256)
def load(path):
    """The module of a reference.py; loaded once."""
    spec = importlib.util.spec_from_file_location("kgbench_reference_" + str(abs(hash(path))), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def baseline_outputs(expression, call):
    """What the baseline gives on meta tensors, as a flat list of its tensors; None without a baseline."""
    if not expression:
        return None
    _, _, by_name = inputs.arguments(call, inputs.meta_tensor)
    result = eval(expression, {"torch": torch, "math": math}, by_name)  # an expression of our own catalogue
    return list(result) if isinstance(result, (tuple, list)) else [result]


def run_reference(request):
    """{path: Expected or None} in order of the call's output paths."""
    call, seed = request["call"], int(request["seed"], 16)

    def make(spec, path):
        return inputs.wide_tensor(spec, path, seed, request["trial"], request["number"])

    positional, keyword, _ = inputs.arguments(call, make)
    entry = getattr(load(request["reference"]), call["entry"])
    if "dtypes" in inspect.signature(entry).parameters:
        keyword["dtypes"] = inputs.dtypes_of(call)
    result = entry(*positional, **keyword)
    if isinstance(result, dict):
        named = dict(result)
    elif isinstance(result, (tuple, list)):
        named = {f"return[{i}]": value for i, value in enumerate(result)}
    else:
        named = {"return": result}
    return {path: value if value is None or isinstance(value, Expected) else Expected(value)
            for path, value in named.items()}


def contract_of(path, expected, call, baseline):
    """(dtype name, shape, strides) that the output must have."""
    for argument in call["args"]:
        for name, spec in inputs.tensors_of(argument):
            if name == path:
                return spec["dtype"], spec["shape"], spec["strides"]
    shape = list(expected.value.shape)
    strides = list(torch.empty(shape, device="meta").stride())
    dtype = expected.dtype
    index = int(path[7:-1]) if path.startswith("return[") else 0
    if baseline is not None and index < len(baseline) and isinstance(baseline[index], torch.Tensor):
        meta = baseline[index]
        if list(meta.shape) != shape:
            raise ValueError(f"{path}: the reference gives shape {shape}, the baseline {list(meta.shape)}")
        dtype = dtype or NAMES[meta.dtype]
        strides = list(meta.stride())
    if dtype is None:
        raise ValueError(f"{path}: neither the reference nor a baseline says its dtype")
    return dtype, shape, strides


class _Blob:
    """Arrays one after the other, each as [offset, bytes]."""

    def __init__(self):
        self.parts, self.size = [], 0

    def add(self, tensor):
        tensor = tensor.detach().resolve_conj().resolve_neg().contiguous()
        if tensor.dtype == torch.bool:
            tensor = tensor.to(torch.uint8)
        if tensor.is_complex():
            tensor = torch.view_as_real(tensor)
        data = memoryview(tensor.reshape(-1).numpy()).cast("B") if tensor.numel() else memoryview(b"")
        place = [self.size, len(data)]
        self.parts.append(data)
        self.size += len(data)
        return place


def _row(path, expected, call, baseline, blob):
    dtype, shape, strides = contract_of(path, expected, call, baseline)
    row = {"path": path, "dtype": dtype, "shape": shape, "strides": strides, "rule": expected.rule, "dim": expected.dim,
           "magnitude": None, "source": None}
    value = expected.value.expand(shape).to(wide(dtype))
    row["value"] = [*blob.add(value), _KINDS[value.dtype]]
    if expected.magnitude is not None:
        magnitude = torch.as_tensor(expected.magnitude).expand(shape)
        if value.is_complex() and not magnitude.is_complex():
            magnitude = torch.complex(magnitude.to(torch.float64), magnitude.to(torch.float64))
        row["magnitude"] = blob.add(magnitude.to(value.dtype if value.is_complex() else torch.float64))
    if expected.source is not None:
        row["source"] = [*blob.add(expected.source.to(torch.float64)), list(expected.source.shape)]
    return row


def answer(request):
    """(reply, blob parts) for {"run": "expect"} and {"run": "contract"}."""
    call, blob = request["call"], _Blob()
    baseline = baseline_outputs(request.get("baseline"), call)
    rows = [_row(path, expected, call, baseline, blob)
            for path, expected in run_reference(request).items() if expected is not None]
    if request["run"] == "contract":
        for row in rows:
            row.update(value=None, magnitude=None, source=None)
        return {"ok": True, "outputs": rows}, []
    return {"ok": True, "outputs": rows}, blob.parts


def main(fd):
    torch.set_num_threads(1)
    assert set(TORCH) == set(NAMES.values())
    while True:
        try:
            request, _ = frame.read(fd)
        except EOFError:
            return
        try:
            reply, parts = answer(request)
        except Exception as error:  # the catalogue's fault, told with its place
            where = traceback.extract_tb(error.__traceback__)[-1]
            reply, parts = {"ok": False, "error": {
                "kind": "infra", "message": f"{type(error).__name__}: {error}", "file": where.filename,
                "line": where.lineno}}, []
        frame.write(fd, {"id": request.get("id"), **reply}, *parts)


if __name__ == "__main__":
    main(int(sys.argv[1]))
