# SPDX-License-Identifier: Apache-2.0
"""Random small kernels by seed: run on the virtual machine, under TRITON_INTERPRET=1, and computed by torch.

A kernel loads four tiles of 64 elements (i32, i32, f32, f64), makes a chain of 4 to 14 values from them (integer and
float arithmetic, comparisons, selections, casts, masks, reductions), and stores the last of each type. Every step is a
line of Triton beside a line of torch. All are compared exactly, floats too, since each step is rounded once in both
(+ - * and extremes; sums go through integers). Division by zero and shifts by the
width are not made. The interpreter is right for all of this but one, and is held to the same results: its tl.maximum and
tl.minimum of floats are NaN where one operand is, so kernels that take them are left out there.

    python tests/python/vm/random_kernels.py [--first 0] [--seconds 60] [--keep FOLDER]
    python tests/python/vm/random_kernels.py --show SEED
"""
import argparse
import importlib.util
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import torch

N, ROWS = 64, 8
TYPES = {"i32": torch.int32, "i64": torch.int64, "i8": torch.int8, "u8": torch.uint8, "i16": torch.int16,
         "f32": torch.float32, "f64": torch.float64}
TL = {"i32": "tl.int32", "i64": "tl.int64", "i8": "tl.int8", "u8": "tl.uint8", "i16": "tl.int16", "f32": "tl.float32",
      "f64": "tl.float64", "b1": "tl.int1"}
INTEGERS, SIGNED, FLOATS = ("i32", "i64", "i8", "u8", "i16"), ("i32", "i64", "i8", "i16"), ("f32", "f64")
STORED = ("i32", "i64", "f32", "f64")


class Kernel:
    """Lines of Triton and of torch that make the same values."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.triton, self.torch = [], []
        self.values = {"x": "i32", "y": "i32", "f": "f32", "g": "f64"}  # name -> type; b1: a condition
        for _ in range(self.random.randint(4, 14)):
            self.random.choice([self.integers, self.integers, self.floats, self.compare, self.select, self.cast,
                                self.reduce, self.narrow, self.shift])()

    def pick(self, kinds):
        found = [name for name, kind in self.values.items() if kind in kinds]
        return self.random.choice(found) if found else None

    def like(self, name):
        return self.pick([self.values[name]])

    def add(self, kind, triton, reference=None):
        name = f"v{len(self.triton)}"
        self.triton.append(f"{name} = {triton}")
        self.torch.append(f"{name} = {reference or triton}")
        self.values[name] = kind

    def integers(self):
        a = self.pick(("i32", "i64"))
        b, op = self.like(a), self.random.choice("+-*&|^")
        self.add(self.values[a], f"{a} {op} {b}")

    def floats(self):
        a = self.pick(FLOATS)
        b, op = self.like(a), self.random.choice(["+", "-", "*", "min", "max", "neg", "abs"])
        if op in "+-*":
            self.add(self.values[a], f"{a} {op} {b}")
        elif op == "neg":
            self.add(self.values[a], f"-{a}")
        elif op == "abs":
            self.add(self.values[a], f"tl.abs({a})", f"{a}.abs()")
        else:
            self.add(self.values[a], f"tl.{op}imum({a}, {b})", f"torch.f{op}({a}, {b})")

    def compare(self):
        a = self.pick(("i32", "i64", *FLOATS))
        self.add("b1", f"{a} {self.random.choice(['<', '<=', '>', '>=', '==', '!='])} {self.like(a)}")

    def select(self):
        condition = self.pick(("b1",))
        if condition is None:
            return self.compare()
        a = self.pick(("i32", "i64", *FLOATS))
        b = self.like(a)
        self.add(self.values[a], f"tl.where({condition}, {a}, {b})", f"torch.where({condition}, {a}, {b})")

    def cast(self):
        a = self.pick((*INTEGERS, "b1"))
        kind = self.random.choice(("i32", "i64", "f64") if self.values[a] != "b1" else ("i32", "i64"))
        self.add(kind, f"{a}.to({TL[kind]})", f"{a}.to({TYPES[kind]})")

    def narrow(self):
        """Through fewer bits and back: what is cut off stays cut off."""
        a, kind = self.pick(("i32", "i64")), self.random.choice(("i8", "u8", "i16"))
        self.add(self.values[a], f"{a}.to({TL[kind]}).to({TL[self.values[a]]})",
                 f"{a}.to({TYPES[kind]}).to({TYPES[self.values[a]]})")

    def shift(self):
        a, by = self.pick(("i32", "i64")), self.random.randint(0, 31)
        self.add(self.values[a], f"{a} {self.random.choice(['<<', '>>'])} {by}")

    def reduce(self):
        """Over the columns or rows of the tile as 8 x 8, and back to all lanes."""
        a, axis = self.pick(("i32", "i64")), self.random.randint(0, 1)
        op = self.random.choice(["sum", "max", "min", "xor_sum"])
        folded = f"tl.reshape({a}, [8, 8])"
        grid = f"{a}.reshape(8, 8)"
        own = {"sum": f"{grid}.sum({axis}, keepdim=True).to({a}.dtype)", "max": f"{grid}.amax({axis}, keepdim=True)",
               "min": f"{grid}.amin({axis}, keepdim=True)", "xor_sum": f"xor_sum({grid}, {axis})"}[op]
        self.add(self.values[a], f"tl.reshape(tl.broadcast_to(tl.{op}({folded}, {axis}, keep_dims=True), [8, 8]), [64])",
                 f"{own}.expand(8, 8).reshape(64)")

    def last(self, kind):
        return [name for name, found in self.values.items() if found == kind][-1:]

    def stores(self):
        return [(kind, name) for kind in STORED for name in self.last(kind)]

    def source(self):
        body = "\n    ".join([
            "i = tl.program_id(0) * 64 + tl.arange(0, 64)", "m = i < n",
            "x = tl.load(px + i, mask=m, other=3)", "y = tl.load(py + i, mask=m, other=-5)",
            "f = tl.load(pf + i, mask=m, other=1.5)", "g = tl.load(pg + i, mask=m, other=-0.25)", *self.triton,
            *(f"tl.store(o{kind} + i, {name}, mask=m)" for kind, name in self.stores())])
        outputs = ", ".join(f"o{kind}" for kind in STORED)
        return f"import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef kernel(px, py, pf, pg, {outputs}, n):\n    {body}\n"


def inputs(seed):
    generator = torch.Generator().manual_seed(seed)
    n = N * ROWS
    edges = torch.tensor([0, 1, -1, 2**31 - 1, -2**31, 7], dtype=torch.int32)
    x, y = (torch.randint(-2**31, 2**31 - 1, (n,), generator=generator).to(torch.int32) for _ in range(2))
    y[: len(edges)], x[n - len(edges):] = edges, edges
    f, g = torch.randn(n, generator=generator) * 100, torch.randn(n, generator=generator, dtype=torch.float64)
    f[3], f[70], g[5] = float("inf"), -0.0, float("nan")
    return [x, y, f, g], n - 13  # the last lanes are masked


def outputs(n):
    return [torch.zeros(n, dtype=TYPES[kind]) for kind in STORED]


def xor_sum(grid, axis):
    out = torch.zeros_like(grid.select(axis, 0))
    for part in grid.unbind(axis):
        out = out ^ part
    return out.unsqueeze(axis)


def expected(kernel, tensors, n):
    """What torch makes of it: program by program, as reductions stay within one."""
    results = outputs(len(tensors[0]))
    for start in range(0, len(tensors[0]), N):
        inside = torch.arange(start, start + N) < n
        names = {"torch": torch, "xor_sum": xor_sum}
        for name, tensor, other in zip("xyfg", tensors, (3, -5, 1.5, -0.25)):
            names[name] = torch.where(inside, tensor[start:start + N], torch.tensor(other, dtype=tensor.dtype))
        exec("\n".join(kernel.torch), names)
        for result, kind in zip(results, STORED):
            for name in kernel.last(kind):
                result[start:start + N][inside] = names[name][inside]
    return results


def same(a, b):
    """Equal, and any NaN equals any NaN. Zeros of both signs are equal: torch.fmax may take either."""
    return bool(((a == b) | ((a != a) & (b != b))).all())


def load(source, folder, seed):
    path = pathlib.Path(folder) / f"random_kernel_{seed}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def disagreement(seed, folder, launch):
    """What differs from torch, or an empty text. `launch(kernel, grid, *arguments)` runs it."""
    kernel = Kernel(seed)
    tensors, n = inputs(seed)
    results = outputs(len(tensors[0]))
    launch(load(kernel.source(), folder, seed), (ROWS,), *tensors, *results, n)
    for kind, result, wanted in zip(STORED, results, expected(kernel, tensors, n)):
        if not same(result, wanted):
            at = next(i for i in range(len(result)) if not same(result[i:i + 1], wanted[i:i + 1]))
            return f"seed {seed}: element {at} of {kind} is {result[at]}, torch gives {wanted[at]}"
    return ""


def on_machine(kernel, grid, *args):
    import vmlaunch
    result = vmlaunch.launch(kernel, grid, *args)
    if result["findings"]:
        raise AssertionError(result["findings"][0]["message"])


def interpret(seeds, folder):
    """Exit status 1, and a line for each, where the interpreter differs. Runs with TRITON_INTERPRET=1."""
    wrong = [text for seed in seeds if (text := disagreement(seed, folder, lambda k, grid, *args: k[grid](*args)))]
    print("\n".join(wrong))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--first", type=int, default=None, help="first seed; default: the clock's")
    parser.add_argument("--count", type=int, help="stop after so many")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for kernels that differ")
    parser.add_argument("--show", type=int, metavar="SEED", help="print a kernel and its torch lines")
    parser.add_argument("--interpret", nargs="+", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.show is not None:
        kernel = Kernel(options.show)
        print(kernel.source() + "\n# torch\n" + "\n".join(kernel.torch))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        if options.interpret:
            return interpret(options.interpret, folder)
        return compare(options, folder)


def compare(options, folder):
    import vmlaunch
    vmlaunch.install()
    end, seed, wrong, done = time.monotonic() + options.seconds, options.first, [], []
    seed = int(time.time()) * 1000 if seed is None else seed
    while time.monotonic() < end and (options.count is None or len(done) < options.count):
        text = disagreement(seed, folder, on_machine)
        if text:
            wrong.append(text)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"kernel-{seed}.py").write_text(Kernel(seed).source())
        done.append(seed)
        seed += 1
    # The interpreter takes a second to start and milliseconds a program: one process, every eighth kernel.
    some = [str(seed) for seed in done[::8] if "imum(" not in Kernel(seed).source()]
    child = subprocess.run([sys.executable, __file__, "--interpret", *some], env=os.environ | {"TRITON_INTERPRET": "1"},
                           stdout=subprocess.PIPE, text=True)
    if child.returncode != 0:
        wrong.append("the interpreter: " + (child.stdout.strip() or "failed"))
    print("\n".join(wrong) or f"{len(done)} kernels agree, {len(some)} with the interpreter")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
