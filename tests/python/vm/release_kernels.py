# SPDX-License-Identifier: Apache-2.0
"""Kernels whose TTIR the neighbouring releases of Triton are asked for; only what all of them can compile.

As a program, `release_kernels.py FOLDER` writes FOLDER/<kernel>.ttir with the Triton that is on the path.
"""
import re
import sys
from pathlib import Path

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m, other=0.0), mask=m)


@triton.jit
def softmax(x, y, out, n, BLOCK: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * n + j, mask=j < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * n + j, e / tl.sum(e, 0), mask=j < n)


@triton.jit
def matmul(x, y, out, n, BLOCK: tl.constexpr):
    i, j, k = tl.arange(0, BLOCK)[:, None], tl.arange(0, BLOCK)[None, :], tl.arange(0, 16)
    acc = tl.zeros([BLOCK, BLOCK], tl.float32)
    for start in range(0, n, 16):
        a = tl.load(x + i * n + start + k[None, :])
        b = tl.load(y + (start + k[:, None]) * BLOCK + j)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(out + i * BLOCK + j, acc)


@triton.jit
def layer_norm(x, y, out, n, BLOCK: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, BLOCK)
    m = j < n
    v = tl.load(x + row * n + j, mask=m, other=0.0)
    mean = tl.sum(v, 0) / n
    d = tl.where(m, v - mean, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, 0) / n + 1e-5)
    tl.store(out + row * n + j, d * r * tl.load(y + j, mask=m), mask=m)


@triton.jit
def product(a, b):
    return a * b


@triton.jit
def scans(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, tl.cumsum(v, 0) + tl.associative_scan(v * 0.5, 0, product, reverse=True))


@triton.jit
def best(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, 16)[:, None] * BLOCK + tl.arange(0, BLOCK)[None, :]
    tl.store(out + tl.arange(0, 16), tl.argmax(tl.load(x + at), 1).to(tl.float32))


@triton.jit
def atomics(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out + i % 8, tl.load(x + i), mask=i < n)


@triton.jit
def control(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros([BLOCK], tl.float32)
    k = n
    while k > 1:
        if k % 2 == 0:
            k = k // 2
            total += tl.load(x + i)
        else:
            k = 3 * k + 1
            total -= tl.load(y + i)
    tl.store(out + i, total)


@triton.jit
def blocks(x, y, out, n, BLOCK: tl.constexpr):
    p = tl.make_block_ptr(x, (16, n), (n, 1), (0, 0), (16, BLOCK), (1, 0))
    q = tl.make_block_ptr(out, (16, n), (n, 1), (0, 0), (16, BLOCK), (1, 0))
    tl.store(q, tl.load(p, boundary_check=(0, 1), padding_option="zero") * 2, boundary_check=(0, 1))


@triton.jit
def shapes(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a, b = tl.split(tl.reshape(tl.join(tl.load(x + i), tl.load(y + i)), [BLOCK, 2]))
    t = tl.reshape(tl.trans(tl.reshape(a - b, [8, BLOCK // 8])), [BLOCK])
    tl.store(out + i, t + tl.rand(n, i))


@triton.jit(noinline=True)
def helper(a, b):
    return a * 2 + b


@triton.jit
def calls(x, y, out, n, BLOCK: tl.constexpr):
    tl.store(out + tl.program_id(0), helper(tl.load(x + tl.program_id(0)), tl.load(y)))


@triton.jit
def descriptors(x, y, out, n, BLOCK: tl.constexpr):
    source = tl.make_tensor_descriptor(x, [16, n], [n, 1], [8, BLOCK])
    target = tl.make_tensor_descriptor(out, [16, n], [n, 1], [8, BLOCK])
    row = tl.program_id(0) * 8
    target.store([row, 0], source.load([row, 0]) + 1)


# Name: kernel, n, BLOCK, programs.
CASES = {
    "add": (add, 1000, 256, 4), "softmax": (softmax, 60, 64, 16), "matmul": (matmul, 32, 32, 1),
    "layer_norm": (layer_norm, 60, 64, 16), "scans": (scans, 64, 64, 1), "best": (best, 64, 64, 1),
    "atomics": (atomics, 1000, 256, 4), "control": (control, 27, 64, 1), "blocks": (blocks, 60, 64, 1),
    "shapes": (shapes, 64, 64, 1), "calls": (calls, 64, 64, 8), "descriptors": (descriptors, 60, 64, 2),
}


def compile_to_ttir(kernel, block):
    from triton.backends.compiler import GPUTarget
    from triton.backends.nvidia.compiler import CUDABackend

    class TtirBackend(CUDABackend):
        def add_stages(self, stages, options, *rest):
            super().add_stages(stages, options, *rest)
            for stage in [s for s in stages if s != "ttir"]:
                del stages[stage]

    target = GPUTarget("cuda", 90, 32)
    signature = {"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(kernel, signature=signature, constexprs={"BLOCK": block})
    from triton._C.libtriton import ir
    backend = TtirBackend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    stages = {}
    backend.add_stages(stages, options, getattr(source, "language", None)) if _takes_language() else backend.add_stages(
        stages, options)
    module = source.make_ir(*_arguments(source, target, options, backend, context))
    return str(stages["ttir"](module, {}))


def _takes_language():
    import inspect

    from triton.backends.nvidia.compiler import CUDABackend
    return len(inspect.signature(CUDABackend.add_stages).parameters) > 3


def _arguments(source, target, options, backend, context):
    import inspect
    rest = [options, backend.get_codegen_implementation(options), backend.get_module_map(), context]
    return ([target] if "target" in inspect.signature(source.make_ir).parameters else []) + rest


def without_paths(text):
    """Locations name the file they came from; a recording keeps its name only."""
    return re.sub(r'loc\("[^"]*/([^"/]+)"', r'loc("\1"', text)


def main(folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, (kernel, _, block, _) in CASES.items():
        Path(folder, f"{name}.ttir").write_text(without_paths(compile_to_ttir(kernel, block)), encoding="utf-8")
    print(triton.__version__, len(CASES))


if __name__ == "__main__":
    main(sys.argv[1])
