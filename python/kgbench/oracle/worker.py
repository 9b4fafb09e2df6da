# SPDX-License-Identifier: Apache-2.0
"""The oracle process: `python -m kgbench.oracle.worker FD` answers requests until the channel closes (wire.md)."""
import gc
import os
import sys
import traceback

import torch

from kgbench import frame
from kgbench.oracle import contract, references
from kgbench.oracle.arguments import Arguments
from kgbench.oracle.dtypes import NAMES
from kgbench.untraced import leave_dynamo_out

ALIGNMENT = 64  # of every array in the blob: the comparison reads them in place


class Blob:
    """Arrays laid one behind the other."""

    def __init__(self):
        self.parts, self.size = [], 0

    def add(self, tensor, kind):
        data = memoryview(tensor.contiguous().view(-1).as_strided((tensor.numel(),), (1,)).view(torch.uint8).numpy()) if tensor.numel() else b""
        pad = -self.size % ALIGNMENT
        self.parts += [bytes(pad), data]
        offset = self.size + pad
        self.size = offset + len(data)
        return [offset, len(data), kind]


def wide_form(value):
    """(tensor on the wire, kind): fp64, complex128 pairs, int64 or bool bytes."""
    tensor = value if isinstance(value, torch.Tensor) else torch.tensor(value)
    if isinstance(value, float):
        tensor = torch.tensor(value, dtype=torch.float64)
    if tensor.dtype == torch.bool:
        return tensor, "b8"
    if tensor.dtype.is_complex:
        return torch.view_as_real(tensor.to(torch.complex128).resolve_conj()).contiguous(), "c128"
    if tensor.dtype.is_floating_point:
        return tensor.to(torch.float64), "f64"
    return tensor.to(torch.int64) if tensor.dtype != torch.uint64 else tensor.view(torch.int64), "i64"


def shape_of(value):
    return list(value.shape) if isinstance(value, torch.Tensor) else []


def magnitude_form(expected, kind):
    if expected.magnitude is None:
        return None
    magnitude = torch.as_tensor(expected.magnitude, dtype=torch.float64)
    if expected.rule != "uniform":  # there it is the law's other end
        magnitude = magnitude.abs()
    magnitude = magnitude.expand(shape_of(expected.value))
    return torch.stack([magnitude, magnitude], -1) if kind == "c128" else magnitude


def index_source(expected, arguments):
    """(values that an index output addresses, dimension); the first tensor argument and `dim` unless given."""
    source, dim = expected.source, expected.dim
    if source is None:
        source = arguments.wide(next(iter(arguments.specs)))
        dim = next((a["int"] for a in arguments.args if a["name"] == "dim" and "int" in a), None)
        if dim is None:
            source, dim = source.reshape(-1), 0
    if source.dim() == 0:
        source = source.reshape(1)
    return source.to(torch.float64), dim


def fit_kind(value, kind, dtype):
    """Values in the kind that the output's dtype asks for; the reference may give reals for integers, never losing."""
    real = not (dtype.is_complex or dtype.is_floating_point)
    if dtype.is_complex and kind != "c128":
        return torch.view_as_real(value.to(torch.complex128)).contiguous(), "c128"
    if not dtype.is_complex and kind == "c128":
        raise TypeError(f"the reference gives complex values for an output of {dtype}")
    if dtype == torch.bool and kind in ("i64", "f64"):
        return value != 0, "b8"
    if dtype.is_floating_point and kind in ("i64", "b8"):
        return value.to(torch.float64), "f64"
    if real and kind == "b8" and dtype != torch.bool:
        return value.to(torch.int64), "i64"
    return value, kind


def output_of(path, expected, dtype, shape, strides, arguments, blob):
    value, kind = wide_form(expected.value)
    if shape_of(expected.value) != list(shape):
        raise ValueError(f"the reference gives shape {shape_of(expected.value)} for '{path}', the contract says {list(shape)}")
    value, kind = fit_kind(value, kind, dtype)
    out = {"path": path, "dtype": NAMES[dtype], "shape": list(shape), "strides": list(strides),
           "value": blob.add(value, kind), "magnitude": None, "rule": expected.rule, "source": None,
           "dim": expected.dim}
    magnitude = magnitude_form(expected, kind)
    if magnitude is not None:
        out["magnitude"] = blob.add(magnitude, "f64")[:2]
    if expected.rule in ("ties", "permutation") or (expected.rule == "unordered" and expected.source is not None):
        source, dim = index_source(expected, arguments)
        out["source"] = [*blob.add(source, "f64")[:2], list(source.shape)]
        out["dim"] = dim
    return out


def contract_of(request, arguments, expected):
    """(structure, {path: (dtype, shape, strides)}) of everything that is compared."""
    wanted = {}
    if request.get("baseline"):
        structure, found, _ = contract.evaluate(request["baseline"], arguments)
        for leaf in found:
            if leaf.dtype is not None:
                wanted[leaf.path] = (leaf.dtype, leaf.shape, leaf.strides)
    else:
        structure = structure_without_baseline(expected, arguments)
        for path, value in expected.items():
            if path.startswith("return"):
                wanted[path] = guess(value, arguments)
    for path in arguments.mutated():
        spec = arguments.specs[path]
        wanted[path] = (arguments.dtypes()[path], tuple(spec["shape"]), tuple(spec["strides"]))
    for path, value in expected.items():
        if value.dtype is not None and path in wanted:
            wanted[path] = (value.dtype, *wanted[path][1:])
    return structure, wanted


def structure_without_baseline(expected, arguments):
    returned = [path for path in expected if path.startswith("return")]
    if not returned:
        return "none"
    return "tensor" if returned == ["return"] else f"tuple[{len(returned)}]"


def guess(value, arguments):
    """Without a baseline: the dtype that the reference names, or the first tensor's; contiguous strides."""
    plain = value.value if isinstance(value.value, torch.Tensor) else torch.tensor(value.value)
    dtype = value.dtype
    if dtype is None:
        first = next(iter(arguments.dtypes().values()), torch.float32)
        dtype = first if plain.dtype.is_floating_point or plain.dtype.is_complex else plain.dtype
    return dtype, tuple(plain.shape), tuple(torch.empty(plain.shape, device="meta").stride())


def expect(request):
    seed = request.get("seed")
    arguments = Arguments(request["call"], int(seed, 16) if isinstance(seed, str) else seed,
                          request.get("trial", 0), request.get("number", 0), request.get("moved"))
    blob = Blob()
    if request["run"] == "contract" and request.get("baseline"):
        structure, wanted = contract_of(request, arguments, {})
        outputs = [{"path": p, "dtype": NAMES[d], "shape": list(s), "strides": list(t), "value": None,
                    "magnitude": None, "rule": None, "source": None, "dim": -1} for p, (d, s, t) in wanted.items()]
        return {"outputs": outputs, "structure": structure}, blob
    function = references.entry_of(request["reference"], request["call"]["entry"])
    try:
        expected = references.run(function, arguments)
    except Exception as error:
        return raising(request, arguments, error), blob
    structure, wanted = contract_of(request, arguments, expected)
    missing = [path for path in wanted if path not in expected]
    if missing:
        raise ValueError(f"the reference gives no value for {', '.join(missing)}; it gives {', '.join(expected) or 'nothing'}")
    outputs = [output_of(path, expected[path], *wanted[path], arguments, blob) for path in wanted]
    return {"outputs": outputs, "structure": structure}, blob


def raising(request, arguments, error):
    """A call that must raise: the baseline raises too. Otherwise the reference is at fault."""
    if request.get("baseline"):
        try:
            contract.evaluate(request["baseline"], arguments)
        except contract.BaselineFailed as failed:
            return {"outputs": [], "structure": "none", "raises": str(failed)}
    raise error


def answer(request):
    try:
        reply, blob = expect(request)
        return {"id": request["id"], "ok": True, **reply}, blob.parts
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return {"id": request["id"], "ok": False, "error": {
            "kind": "infra", "message": f"oracle: {type(error).__name__}: {error}", "file": last.filename,
            "line": last.lineno, "details": {}}}, []


def main(argv):
    fd = int(argv[1])
    torch.set_num_threads(int(os.environ.get("KGBENCH_ORACLE_THREADS", "1")))
    leave_dynamo_out()
    gc.freeze()
    while True:
        try:
            request, _ = frame.read(fd)
        except EOFError:
            return 0
        reply, parts = answer(request)
        frame.write(fd, reply, *parts)


if __name__ == "__main__":
    sys.exit(main(sys.argv))
