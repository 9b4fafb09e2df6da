# SPDX-License-Identifier: Apache-2.0
"""Every function of triton.language.extra.cuda.libdevice, with every signature, is one that the machine executes."""
import ast
import inspect

import pytest
import torch
from kgbench import _kgbench
from triton.language.extra.cuda import libdevice

NAMES = {"int32": "i32", "uint32": "i32", "int64": "i64", "uint64": "i64", "fp32": "f32", "fp64": "f64"}


def symbols():
    """(symbol, argument types, result type) of every entry in the file's tables."""
    found = {}
    for node in ast.walk(ast.parse(inspect.getsource(libdevice))):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values):
            types = [call.args[0].value for call in key.elts]
            symbol, result = value.elts
            found[symbol.value, tuple(types)] = result.args[0].value
    return sorted((symbol, types, result) for (symbol, types), result in found.items())


def module(symbol, types, result):
    lines = [f" %c{i} = arith.constant {'1.500000e+00' if t.startswith('fp') else '3'} : {NAMES[t]}" for i, t in enumerate(types)]
    operands = ", ".join(f"%c{i}" for i in range(len(types)))
    kinds = ", ".join(NAMES[t] for t in types)
    to = NAMES[result]
    lines.append(f' %r = tt.extern_elementwise {operands} {{libname = "", libpath = "", pure = true, symbol = "{symbol}"}}'
                 f" : ({kinds}) -> {to}")
    lines.append(f" tt.store %p, %r : !tt.ptr<{to}>")
    body = "\n".join(lines)
    return f"module {{ tt.func public @k(%p: !tt.ptr<{to}>) {{\n{body}\n tt.return\n}} }}"


@pytest.mark.parametrize("symbol, types, result", symbols(), ids=lambda v: v if isinstance(v, str) else "")
def test_the_symbol_is_executed(symbol, types, result):
    out = torch.full((1,), -77, dtype=torch.int64)
    buffers = [("out", out.data_ptr(), 8, True)]
    run = _kgbench.vm_run(module(symbol, types, result), (1, 1, 1), [("ptr", 0, 0)], buffers)
    assert run["findings"] == [], run["findings"]
    assert out.item() != -77


def test_the_file_was_read():
    assert len(symbols()) > 300
