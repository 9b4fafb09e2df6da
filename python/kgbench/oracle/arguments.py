# SPDX-License-Identifier: Apache-2.0
"""The arguments of one call: real tensors, widened ones for a reference, meta ones for a contract."""
import torch

from kgbench import _kgbench
from kgbench.oracle import inputs
from kgbench.oracle.dtypes import TORCH


class Arguments:
    """One call of one value set. Without a seed only `meta` tensors can be asked for. `moved` names the dtype whose
    ulp floating inputs of the reference are moved by."""

    def __init__(self, call, seed=None, trial=0, number=0, moved=None):
        self.call, self.args = call, call["args"]
        self.seed, self.trial, self.number, self.moved = seed, trial, number, moved
        self.specs = {path: spec for arg in self.args for path, spec in inputs.tensors_of(arg)}

    def real(self, path):
        """The tensor in its own dtype, strided as the candidate gets it."""
        return inputs.real_tensor(self.specs[path], path, self.seed, self.trial, self.number)

    def wide(self, path):
        """The tensor for the reference: floats as fp64, complex as complex128, integers and bools as they are.
        Memory of its own, so that a reference may write it."""
        tensor = self.real(path)
        if tensor.dtype.is_complex:
            tensor = tensor.to(torch.complex128)
        elif tensor.dtype.is_floating_point:
            tensor = tensor.to(torch.float64)
        tensor = tensor.clone(memory_format=torch.contiguous_format)
        floating = tensor.dtype in (torch.float64, torch.complex128)
        return self.move(tensor, path) if self.moved and floating and tensor.numel() else tensor

    def move(self, tensor, path):
        """The tensor with every element moved by an ulp."""
        reals = torch.view_as_real(tensor) if tensor.dtype.is_complex else tensor
        values = _kgbench.moved(reals.numpy().tobytes(), self.moved, path, self.seed, self.trial, self.number)
        reals = torch.frombuffer(bytearray(values), dtype=torch.float64).reshape(reals.shape)
        return torch.view_as_complex(reals) if tensor.dtype.is_complex else reals

    def meta(self, path):
        """Strided over a storage of the real size, so that views of views hold."""
        spec = self.specs[path]
        storage = torch.empty(spec["storage"], dtype=TORCH[spec["dtype"]], device="meta")
        return torch.as_strided(storage, spec["shape"], spec["strides"], spec["offset"])

    def build(self, make):
        """(positional values, keyword values, values by name); `make` turns a path into a tensor."""
        positional, keyword, named = inputs.arguments(self.call, lambda spec, path: make(path))
        for arg in self.args:
            if "generator" in arg and self.seed is not None:
                generator = torch.Generator().manual_seed(self.seed & (2**63 - 1))
                named[arg["name"]] = generator
                if arg.get("keyword"):
                    keyword[arg["name"]] = generator
        return positional, keyword, named

    def dtypes(self):
        """Real dtypes by path, for references that declare a keyword `dtypes`."""
        return {path: TORCH[spec["dtype"]] for path, spec in self.specs.items()}

    def mutated(self):
        return [path for path, spec in self.specs.items() if spec.get("mutated")]
