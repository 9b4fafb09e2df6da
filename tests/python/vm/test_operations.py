# SPDX-License-Identifier: Apache-2.0
"""docs/vm-operations.md against the truth: every builder method of Triton, the operations it makes, what the VM does."""
import os
import re
from pathlib import Path

import operation_kernels
import pytest
import torch
import vmlaunch
from kgbench import _kgbench
from triton._C.libtriton import ir

PAGE = Path(os.environ.get("KGBENCH_HOME", Path(__file__).parents[3])) / "docs" / "vm-operations.md"
STATES = {
    "executed",  # the kernels call the method, TTIR has the operations, the machine runs them
    "rewritten",  # Triton replaces the operations before TTIR is complete; the kernels that use them run
    "text",  # the front end never calls the method; a module written by hand runs
    "structure",  # blocks, locations, types: no operation of their own
}
OPERATION = re.compile(r'^\s*(?:%[^=]*= )?"?([a-z]+\.[a-z_.0-9]+)', re.M)


def rows(heading):
    """The cells of the table below a heading, by its first column."""
    text = PAGE.read_text(encoding="utf-8")
    part = text[text.index(f"## {heading}\n"):]
    part = part[:part.find("\n## ", 3)] if "\n## " in part[3:] else part
    cells = [[c.strip().replace("`", "") for c in line.strip("|").split("|")] for line in part.splitlines() if line.startswith("| `")]
    return {row[0]: row[1:] for row in cells}


@pytest.fixture(scope="module")
def observed():
    """The builder methods called and the operations in TTIR, over all kernels that ran without a finding."""
    called, operations = set(), set()
    names = [n for n in dir(ir.builder) if n.startswith("create_")]
    originals = {n: getattr(ir.builder, n) for n in names}

    def recorded(name, original):
        def call(self, *args, **kw):
            called.add(name)
            return original(self, *args, **kw)
        return call

    for name, original in originals.items():
        setattr(ir.builder, name, recorded(name, original))
    try:
        for kernel in operation_kernels.KERNELS:
            # Other options than in the other tests: the kernel must be compiled again to be seen.
            options = {"N": operation_kernels.N, "debug": kernel is operation_kernels.reports, "num_warps": 2}
            result = vmlaunch.launch(kernel, (1,), *operation_kernels.arguments(), **options)
            assert result["findings"] == [], (kernel.__name__, result["findings"])
            operations.update(OPERATION.findall(vmlaunch.ttir_of(kernel, *operation_kernels.arguments(), **options)))
    finally:
        for name, original in originals.items():
            setattr(ir.builder, name, original)
    return called, operations


@pytest.mark.parametrize("kernel", operation_kernels.KERNELS, ids=lambda k: k.__name__)
def test_the_kernels_run(kernel):
    x, y, out = operation_kernels.arguments()
    result = vmlaunch.launch(kernel, (1,), x, y, out, N=operation_kernels.N, debug=kernel is operation_kernels.reports)
    assert result["findings"] == [], result["findings"]
    assert out.any()


def test_every_builder_method_has_a_row():
    methods = {n for n in dir(ir.builder) if n.startswith("create_")}
    table = rows("Builder methods")
    assert set(table) == methods, (methods - set(table), set(table) - methods)
    for name, (_, state, *_) in table.items():
        assert state in STATES, (name, state)


def test_the_rows_are_true(observed):
    called, operations = observed
    known = set(_kgbench.vm_operations())
    for name, (makes, state, *_) in rows("Builder methods").items():
        wanted = set(makes.replace(",", " ").split()) - {"-"}
        if state in ("executed", "rewritten"):
            assert name in called, f"no kernel that runs calls {name}"
        if state == "executed":
            assert wanted and wanted <= known, (name, wanted - known)
            assert wanted & operations, f"{name}: none of {wanted} stands in the TTIR of the kernels"
        elif state == "rewritten":
            assert not wanted & operations, (name, wanted & operations)
        elif state == "text":
            assert name not in called and wanted <= known, name


def test_every_operation_seen_is_executed(observed):
    _, operations = observed
    assert operations <= set(_kgbench.vm_operations()) | {"tt.func"}


def run_text(body, *arguments, parameters):
    buffers = [(f"t{i}", t.data_ptr(), t.numel() * t.element_size(), True) for i, t in enumerate(arguments)]
    text = f"module {{ tt.func public @k({parameters}) {{\n{body}\n tt.return\n}} }}"
    return _kgbench.vm_run(text, (1, 1, 1), [("ptr", i, 0) for i in range(len(arguments))], buffers)


FLOAT_PREDICATES = {
    "false": lambda a, b, n: n & False, "oeq": lambda a, b, n: (a == b) & ~n, "ogt": lambda a, b, n: (a > b) & ~n,
    "oge": lambda a, b, n: (a >= b) & ~n, "olt": lambda a, b, n: (a < b) & ~n, "ole": lambda a, b, n: (a <= b) & ~n,
    "one": lambda a, b, n: (a != b) & ~n, "ord": lambda a, b, n: ~n, "ueq": lambda a, b, n: (a == b) | n,
    "ugt": lambda a, b, n: (a > b) | n, "uge": lambda a, b, n: (a >= b) | n, "ult": lambda a, b, n: (a < b) | n,
    "ule": lambda a, b, n: (a <= b) | n, "une": lambda a, b, n: (a != b) | n, "uno": lambda a, b, n: n,
    "true": lambda a, b, n: n | True,
}


@pytest.mark.parametrize("predicate", list(FLOAT_PREDICATES))
def test_float_predicates_that_no_front_end_makes(predicate):
    values = torch.tensor([0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 2.0])
    a, b = values.repeat_interleave(8), values.repeat(8)
    out = torch.zeros(64, dtype=torch.int32)
    body = "\n".join(
        [" %i = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>"]
        + [f" %p{k} = tt.splat %t{k} : !tt.ptr<{t}> -> tensor<64x!tt.ptr<{t}>>\n"
           f" %q{k} = tt.addptr %p{k}, %i : tensor<64x!tt.ptr<{t}>>, tensor<64xi32>" for k, t in enumerate(["f32", "f32", "i32"])]
        + [" %a = tt.load %q0 : tensor<64x!tt.ptr<f32>>", " %b = tt.load %q1 : tensor<64x!tt.ptr<f32>>",
           f" %c = arith.cmpf {predicate}, %a, %b : tensor<64xf32>", " %d = arith.extui %c : tensor<64xi1> to tensor<64xi32>",
           " tt.store %q2, %d : tensor<64x!tt.ptr<i32>>"])
    result = run_text(body, a, b, out, parameters="%t0: !tt.ptr<f32>, %t1: !tt.ptr<f32>, %t2: !tt.ptr<i32>")
    assert result["findings"] == [], result["findings"]
    nan = a.isnan() | b.isnan()
    assert torch.equal(out, FLOAT_PREDICATES[predicate](a, b, nan).int())


REFUSED = {  # row: body, what the finding names
    "tt.make_tensor_ptr": (" %c = arith.constant 1 : i64\n %p = tt.make_tensor_ptr %t0, [%c], [%c], [%z] {order = array<i32: 0>}"
                           " : !tt.ptr<tensor<16xf32>>", "tt.make_tensor_ptr"),
    "tt.experimental_tensormap_create": (' %p = "tt.experimental_tensormap_create"(%t0) : (!tt.ptr<f32>) -> !tt.ptr<i8>',
                                         "tt.experimental_tensormap_create"),
    "fp8 fnuz": (" %q = arith.constant dense<0> : tensor<16xi8>\n"
                 " %r = tt.bitcast %q : tensor<16xi8> -> tensor<16xf8E4M3FNUZ>", "tt.bitcast (type)"),
    "vote": (' %p = tt.elementwise_inline_asm "vote.sync.any.pred $0, $1, -1;" {constraints = "=r,r",'
             " packed_element = 1 : i32, pure = true} %z : i32 -> i32", "PTX vote.sync.any.pred"),
    "%globaltimer": (' %p = tt.elementwise_inline_asm "mov.u64 $0, %globaltimer;" {constraints = "=l",'
                     " packed_element = 1 : i32, pure = false} -> i64", "%globaltimer"),
    "cvt.rs": (' %p = tt.elementwise_inline_asm "cvt.rs.f16x2.f32 $0, $1, $1, $1;" {constraints = "=r,r",'
               " packed_element = 1 : i32, pure = true} %z : i32 -> i32", "cvt.rs.f16x2.f32"),
    "descriptor_reduce inc": (
        " %c = arith.constant 1 : i64\n %i = arith.constant dense<0> : tensor<16xi32>\n %p = tt.bitcast %t0 : !tt.ptr<f32> -> !tt.ptr<i32>\n"
        " %d = tt.make_tensor_descriptor %p, [%z], [%c] : <i32>, <tensor<16xui32>>\n"
        " tt.descriptor_reduce inc, %d[%z], %i : !tt.tensordesc<tensor<16xui32>>, tensor<16xi32>", "tt.descriptor_reduce (inc"),
}


@pytest.mark.parametrize("name", list(REFUSED))
def test_refusals_are_named(name):
    body, named = REFUSED[name]
    result = run_text(" %z = arith.constant 0 : i32\n" + body, torch.zeros(16), parameters="%t0: !tt.ptr<f32>")
    assert [f["kind"] for f in result["findings"]] == ["unsupported"], result
    assert named in result["findings"][0]["message"]


def test_the_table_of_refusals():
    assert set(rows("Refused")) == set(REFUSED)


def test_the_options_stand_in_the_manual():
    page = (PAGE.parent / "vm.md").read_text(encoding="utf-8")
    page = page[page.index("## Choices and options\n"):page.index("## Agreement with hardware\n")]
    listed = {row[0].strip(" `"): row[1].strip(" `") for row in re.findall(r"^\|([^|]*)\|([^|]*)\|", page, re.M)}
    for name, default, _ in _kgbench.vm_choices():
        assert listed.get(name) == default, f"docs/vm.md: {name} is {default}"
