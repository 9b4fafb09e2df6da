# SPDX-License-Identifier: Apache-2.0
"""The contract of a call: structure, dtypes, shapes and strides of what it returns, from its baseline on meta tensors."""
import dataclasses
import math

import torch


# The dtype that holds each of Python's numbers without loss; integers beyond it are u64's.
NUMBERS = {bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128}


@dataclasses.dataclass
class Leaf:
    """One returned object. `tensor` is None for what is no tensor; `dtype` is None for what is no number either."""
    path: str
    dtype: object = None
    shape: tuple = ()
    strides: tuple = ()
    tensor: object = None


def leaves(value, path="return"):
    """(structure, leaves) of a returned value, as the recorder names them: depth first."""
    if isinstance(value, torch.Tensor):
        return "tensor", [Leaf(path, value.dtype, tuple(value.shape), tuple(value.stride()), value)]
    if value is None:
        return "none", []
    if isinstance(value, (tuple, list)):
        kind = "list" if isinstance(value, list) else "tuple"
        found = []
        for i, item in enumerate(value):
            found += leaves(item, f"{path}[{i}]")[1]
        return f"{kind}[{len(value)}]", found
    dtype = NUMBERS.get(type(value))
    if dtype is torch.int64 and value > torch.iinfo(dtype).max:
        dtype = torch.uint64
    return type(value).__name__, [Leaf(path, dtype)]


class BaselineFailed(Exception):
    """The baseline raised on meta tensors and on real ones."""


def evaluate(expression, arguments):
    """(structure, leaves, paths of arguments that leaves are); leaves that are arguments are left out.

    Data-dependent operators, and those without a meta kernel, run on real values instead."""
    attempts = [arguments.meta] + ([arguments.real] if arguments.seed is not None else [])
    for make in attempts:
        made = {}

        def remember(path, make=make, made=made):
            made[path] = make(path)
            return made[path]

        names = {"torch": torch, "math": math, **arguments.build(remember)[2]}
        try:
            value = eval(compile(expression, "<baseline>", "eval"), names)  # cards are part of the judge
        except Exception as error:
            last = error
            continue
        structure, found = leaves(value)
        own = {id(t): path for path, t in made.items()}
        aliases = {leaf.path: own[id(leaf.tensor)] for leaf in found if id(leaf.tensor) in own}
        return structure, [leaf for leaf in found if leaf.path not in aliases], aliases
    raise BaselineFailed(f"{type(last).__name__}: {last}")
