# SPDX-License-Identifier: Apache-2.0
"""The arguments of one call: real tensors, widened ones for a reference, meta ones for a contract."""
import torch

from kgbench.oracle import inputs
from kgbench.oracle.dtypes import TORCH


class Arguments:
    """One call of one value set. Without a seed only `meta` tensors can be asked for."""

    def __init__(self, call, seed=None, trial=0, number=0):
        self.call, self.args = call, call["args"]
        self.seed, self.trial, self.number = seed, trial, number
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
        return tensor.clone(memory_format=torch.contiguous_format)

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
