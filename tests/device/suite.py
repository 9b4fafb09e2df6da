# SPDX-License-Identifier: Apache-2.0
"""Cases of the proof suite: a Triton kernel, its launch, and how near the virtual machine must come to a GPU.

A case is declared once and runs on both machines. Its class is exact (`ulps=0`: every bit of every output, any NaN
being equal to any NaN) or within a number of ulps of the output's kind.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch
import triton
import triton.language as tl
import values as v
from triton.tools.tensor_descriptor import TensorDescriptor


@dataclass(frozen=True)
class Case:
    family: str
    name: str  # unique in the suite
    kernel: triton.JITFunction
    arguments: Callable[[], list]  # tensors (In, Out, Both) and numbers, in the kernel's order
    grid: tuple = (1,)
    constants: dict = field(default_factory=dict)  # constexpr arguments and compiler options
    ulps: float = 0
    fused: bool = False  # a * b + c becomes one fma, as the compiler does by default

    @property
    def body(self):
        """What is compiled, but for kinds and sizes: cases that share it are cases of one kernel."""
        parts = [self.constants[key] for key in ("OP", "ASM", "P", "FA", "FB") if key in self.constants]
        return (self.kernel.fn.__name__, *[getattr(part, "__name__", part) for part in parts])

    @property
    def machine_options(self):
        """The virtual machine's choices that stand for what the compiler does to this case."""
        return {"check_division": False, "flush_denormals": True, "exact_remainder": False, "contraction": self.fused}


@dataclass
class In:
    """A tensor that the kernel only reads."""

    value: torch.Tensor


@dataclass
class Both(In):
    """A tensor that the kernel changes; its last state is an output."""


@dataclass
class Described:
    """A tensor of two or more axes that goes to the kernel as a tensor descriptor made by the host."""

    tensor: In
    block: tuple


def Out(kind, *shape):
    """A tensor that the kernel must fill: it starts as a pattern that no result is likely to be."""
    count = int(np.prod(shape))
    return Both(v.tensor(kind, np.full(count, 0 if kind == "bool" else 0xA5, v.word(kind))).reshape(shape))


@triton.jit
def unary(x, out, OP: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, OP(tl.load(x + i)))


@triton.jit
def binary(x, y, out, OP: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, OP(tl.load(x + i), tl.load(y + i)))


@triton.jit
def ternary(x, y, z, out, OP: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, OP(tl.load(x + i), tl.load(y + i), tl.load(z + i)))


@triton.jit
def quaternary(x, y, z, w, out, OP: tl.constexpr, N: tl.constexpr):
    i = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + i, OP(tl.load(x + i), tl.load(y + i), tl.load(z + i), tl.load(w + i)))


KERNELS = (None, unary, binary, ternary, quaternary)
COUNT = 1024


def elementwise(family, function, kinds, *, out=None, values=v.mixed, operands=None, name=None, **how):
    """One case per kind: `function`, of the language or a @triton.jit function, over flat tensors of the kind.

    `values(kind, n, seed)` makes operand number `seed - 1`, `out` is the kind of the result (by default the same).
    """
    operands = operands or len(function.arg_names)
    title = name or function.__name__

    def arguments(kind):
        inputs = [values(kind, COUNT, seed) for seed in range(1, operands + 1)]
        count = inputs[0].numel()
        return [*map(In, inputs), Out(out or kind, count)]

    cases = []
    for kind in kinds:
        count = arguments(kind)[0].value.numel()
        block = min(COUNT, count)
        cases.append(
            Case(
                family,
                f"{title}.{kind}",
                KERNELS[operands],
                lambda kind=kind: arguments(kind),
                (count // block,),
                {"OP": function, "N": block},
                **how,
            )
        )
    return cases


def run(case, launch, device="cpu"):
    """Launches the case by `launch(case, arguments)`. Returns the words of its inputs, and name -> (dtype, words) of
    its outputs."""
    given = case.arguments()
    tensors = [g.tensor if isinstance(g, Described) else g for g in given]
    inputs = [v.words_of(t.value).copy() for t in tensors if isinstance(t, In)]
    placed = [t.value.to(device) if isinstance(t, In) else t for t in tensors]
    launch(
        case,
        [
            TensorDescriptor.from_tensor(p, list(g.block)) if isinstance(g, Described) else p
            for g, p in zip(given, placed)
        ],
    )
    names = [name for name in case.kernel.arg_names if name not in case.constants]
    return inputs, {
        name: (str(p.dtype).removeprefix("torch."), words(p))
        for name, t, p in zip(names, tensors, placed)
        if isinstance(t, Both)
    }


def words(tensor):
    """Flat bits with every NaN as one pattern: which NaN an operation makes is nobody's promise."""
    flat = tensor.cpu().reshape(-1)
    held = v.words_of(flat).copy()
    if flat.dtype.is_floating_point:
        held[flat.double().isnan().numpy()] = v.words_of(torch.tensor([float("nan")]).to(flat.dtype))
    return held
