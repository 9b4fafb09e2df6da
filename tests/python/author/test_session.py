# SPDX-License-Identifier: Apache-2.0
"""Sessions: frames, errors of the import and of calls, jobs after one another, values that the card gives."""
import base64
import struct

import plan_check
import pytest
from harness import HOST_CODES, call, run, tensor
from kgbench.author.generator import workload_seed

KERNELS = (HOST_CODES / "add_inplace.py").read_text()
ADD = call("add_", ("self", tensor("f32", 33, mutated=True)), ("other", tensor("f32", 33)))


def launch_buffers(made, number):
    return [a["ptr"][0] for n in made["calls"][number]["nodes"] if n["node"] == "launch" for a in n["args"]
            if "ptr" in a]


def test_frames_come_in_order_with_nonce_and_time():
    answer = run(KERNELS, ADD, ADD)
    assert [h["job"] for h, _ in answer.frames] == ["import", "s1", "s2", "end"] and answer.status == 0
    assert all(h["nonce"] == "abc" for h, _ in answer.frames)
    assert all(h["ms"] > 0 for h, _ in answer.frames[:3])


@pytest.mark.parametrize("source, kind, line", [
    ("def add_(:\n    pass\n", "syntax_error", 1),
    ("x = 1\nraise ValueError('at import')\n", "import_error", 2),
    ("import nothing_of_this_name\n", "import_error", 1),
    ("\nimport flag_gems\n", "import_refused", 2),
    ("from torch.utils.cpp_extension import load_inline\n", "import_refused", 1),
    ("from torch.utils import cpp_extension\n", "import_refused", 1),
    ("import importlib\nimportlib.import_module('xformers.ops')\n", "import_refused", 2),
    ("import sys\nsys.exit(3)\n", "exited", 2),
    ("import torch\n", "missing_entry", 0),
    ("add_ = 3\n", "missing_entry", 0),
    ("", "not_utf8", 0),
    (b"# \xff\n", "not_utf8", 0),
    (b"x = 1\x00\n", "syntax_error", 0),
    ("import torch\nbad = torch.zeros(3, device='cuda', dtype=torch.complex32)\n", "recorder_unsupported", 2),
])
def test_what_keeps_a_candidate_from_being_imported(source, kind, line):
    answer = run(source, ADD)
    error = answer.error("import")
    assert (error["kind"], error["line"]) == (kind, line), error
    assert [h["job"] for h, _ in answer.frames] == ["import", "end"]


def test_entries_that_are_missing_are_named_to_the_judge():
    assert run("import torch\n", ADD).error("import")["details"] == {"entries": ["add_"]}


def test_a_refused_import_that_a_try_guards_is_an_import_error_like_any_other():
    source = "try:\n    import flash_attn\nexcept ImportError:\n    flash_attn = None\n" + KERNELS
    assert run(source, ADD).recording()["calls"][0]["events"] == []


def test_a_declared_library_may_import_what_it_is():
    error = run("import flag_gems\n", ADD, library={"folders": [], "environment": {}}).error("import")
    assert error["kind"] == "import_error"  # it is not installed here; the policy had no say


def test_a_library_s_files_count_as_the_candidate_s(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "__init__.py").write_text("import os\nassert os.environ['LIB_MODE'] == 'x'\n\n\n"
                                                  "def add(x, y):\n    return x.add_(y)\n")
    answer = run("import lib\n\n\ndef add_(x, y):\n    return lib.add(x, y)\n", ADD,
                 library={"folders": [str(tmp_path)], "environment": {"LIB_MODE": "x"}})
    event = answer.recording()["calls"][0]["events"][0]
    assert (event["kind"], event["file"], event["line"]) == ("torch_compute", "lib/__init__.py", 6)


ENTRY = """\
import torch
import triton
import triton.language as tl


@triton.jit
def k(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    {kernel}
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)


def run(x):
    o = torch.empty_like(x)
    {host}
    return o
"""


def failed(kernel="pass", host="k[(1,)](x, o, 4, B=32)"):
    return run(ENTRY.format(kernel=kernel, host=host), call("run", ("x", tensor("f32", 4)))).error()


@pytest.mark.parametrize("kernel", ["y = undefined_name", "y = i @ i", "tl.static_assert(B == 7)",
                                    "y = tl.arange(0, 3)",
                                    "import os", "y = x.nothing()"])
def test_what_the_front_end_refuses_names_the_kernels_line(kernel):
    error = failed(kernel=kernel)
    assert error["kind"] == "frontend_error" and (error["file"], error["line"]) == ("candidate.py", 9), error


@pytest.mark.parametrize("host, kind, text", [
    ("raise ValueError('no')", "host_exception", "ValueError: no"),
    ("k[(1,)](x, o, 4)", "host_exception", "dynamic_func() missing"),
    ("k[(1.5,)](x, o, 4, B=32)", "host_exception", "TypeError"),
    ("k[(1,)](x, torch.empty(4), 4, B=32)", "host_exception", "cannot be accessed from Triton (cpu tensor?)"),
    ("k[(1, 70000)](x, o, 4, B=32)", "host_exception", "Triton Error [CUDA]: invalid argument"),
    ("k[(1,)](x, o, 4, B=32, num_warps=64)", "host_exception", "out of resource"),
    ("k[(1,)](x, o, 4, B=32, num_warps=3)", "host_exception", "num_warps must be a power of 2"),
    ("import sys; sys.exit(1)", "exited", "SystemExit"),
    ("torch.empty(1 << 50, device='cuda')", "memory_limit", "out of memory"),
    ("def f(): return f()\n    f()", "host_exception", "RecursionError"),
    ("raise ValueError('\\udc80')", "host_exception", "ValueError: ?"),
    ("class E(BaseException):\n        __str__ = None\n    raise E", "host_exception", "E: (its text cannot be made)"),
    ("torch.cuda.set_device(1)", "host_exception", "invalid device ordinal"),
    ("o.view(7)", "host_exception", "shape '[7]' is invalid"),
    ("x.expand(3, 4).fill_(1)", "host_exception", "more than one element"),
    ("x.numpy()", "host_exception", "can't convert cuda:0"),
])
def test_what_a_call_raises_is_told_with_its_line(host, kind, text):
    error = failed(host=host)
    assert error["kind"] == kind and text in error["message"], error
    assert error["details"]["call"] == 0 and error["line"] >= 15 and error["details"]["traceback"]


def test_an_error_in_one_job_leaves_the_others():
    source = ENTRY.format(kernel="pass", host="assert x.dim() == 1\n    k[(1,)](x, o, 4, B=32)")
    answer = run(source, call("run", ("x", tensor("f32", 2, 2))), call("run", ("x", tensor("f32", 4))))
    assert answer.error("s1")["kind"] == "host_exception" and answer.recording("s2")


def test_an_empty_grid_launches_nothing():
    source = ENTRY.format(kernel="pass", host="k[(triton.cdiv(x.numel(), 32),)](x, o, x.numel(), B=32)")
    made = run(source, call("run", ("x", tensor("f32", 0, 5)))).recording()
    plan_check.check(made, [call("run", ("x", tensor("f32", 0, 5)))] * 3)
    assert made["calls"][0]["nodes"] == [] and made["calls"][0]["outputs"][0]["tensor"]["shape"] == [0, 5]


def test_empty_and_scalar_tensors_are_null_pointers_and_single_elements():
    source = ENTRY.format(kernel="pass", host="k[(1,)](torch.empty(0, device='cuda'), o, x.numel(), B=32)")
    made = run(source, call("run", ("x", tensor("f64")))).recording()
    node, = made["calls"][0]["nodes"]
    assert node["args"][0] == {"ptr": [-1, 0]} and made["calls"][0]["outputs"][0]["tensor"]["shape"] == []


def test_layouts_arrive_as_asked():
    source = "import torch\ndef run(x):\n    assert x.stride() == (1, 40) and x.storage_offset() == 7\n" \
             "    assert x.data_ptr() % 16 == 12 and x.untyped_storage().nbytes() == 4 * 500\n    return x\n"
    asked = call("run", ("x", tensor("f32", 10, 5, strides=[1, 40], offset=7, storage=500)))
    made = run(source, asked).recording()
    plan_check.check(made, [asked] * 3)
    assert made["calls"][2]["outputs"][0]["tensor"]["at"][1] == 28


def test_all_kinds_of_arguments():
    source = """
import torch
def run(x, lst, n, f, b, s, c, ints, dt, none, *, g=None, k=0):
    assert type(x) is torch.Tensor and [t.shape[0] for t in lst] == [2, 3]
    assert (n, b, s, c, ints, dt, none, k) == (-3, True, "sum", 1 + 2j, [4, 5], torch.bfloat16, None, 9)
    assert f == float("-inf") and isinstance(g, torch.Generator) and g.device.type == "cuda"
    assert g.initial_seed() == torch.cuda.initial_seed() == torch.initial_seed() == SEED
    return x
"""
    source = source.replace("SEED", str(workload_seed(123, "s1")))
    asked = call("run", ("x", tensor("i8", 3)), ("lst", [tensor("u8", 2), tensor("u8", 3)]), ("n", ("int", -3)),
                 ("f", ("float", "-inf")), ("b", ("bool", True)), ("s", ("str", "sum")), ("c", ("complex", [1, 2])),
                 ("ints", ("ints", [4, 5])), ("dt", ("dtype", "bf16")), ("none", ("none", True)),
                 g=("generator", True), k=("int", 9))
    plan_check.check(run(source, asked).recording(), [asked] * 3)


@pytest.mark.parametrize("dtype", plan_check.SIZES)
def test_every_dtype_can_be_an_input_and_an_output(dtype):
    source = "import torch\ndef run(x):\n    return torch.empty_like(x), x.clone(), torch.zeros_like(x)\n"
    asked = call("run", ("x", tensor(dtype, 3)))
    made = run(source, asked).recording()
    plan_check.check(made, [asked] * 3)
    assert {leaf["tensor"]["dtype"] for leaf in made["calls"][0]["outputs"]} == {dtype}


# -- jobs after one another ------------------------------------------------------------------------------------------
WORKSPACE = HOST_CODES / "global_workspace.py"


def test_each_recording_stands_alone_though_the_candidate_keeps_a_workspace():
    jobs = [call("total", ("x", tensor("f32", n))) for n in (3000, 5000, 2000)]
    answer = run(WORKSPACE, *jobs)
    for name, asked in zip(("s1", "s2", "s3"), jobs):
        made = answer.recording(name)
        plan_check.check(made, [asked] * 3)
        kept = {n["args"][1]["ptr"][0] for c in made["calls"] for n in c["nodes"][:1]}
        assert len(kept) == 1 and made["buffers"][kept.pop()]["call"] == 0


def test_a_workspace_made_at_import_is_part_of_every_recording():
    answer = run(HOST_CODES / "module_level_table.py", *[call("scale", ("x", tensor("f32", n))) for n in (8, 30)])
    for name in ("s1", "s2"):
        assert [n["node"] for n in answer.recording(name)["calls"][0]["nodes"]] == ["upload", "fill", "launch"]


def test_tensors_kept_outside_the_module_are_refused():
    source = KERNELS + """
import torch
def run(x):
    if not hasattr(torch.nn, "kept"):
        torch.nn.kept = torch.empty_like(x)
    return add_(torch.nn.kept, x)
"""
    asked = call("run", ("x", tensor("f32", 4)))
    answer = run(source, asked, asked)
    assert answer.recording("s1") and answer.error("s2")["kind"] == "recorder_unsupported"


def test_modules_beside_the_candidate_are_imported_afresh_too():
    source = """
import os, sys
root = os.path.dirname(__file__)
with open(os.path.join(root, "beside.py"), "w") as file:
    file.write("kept = []\\n")
import beside
import torch
def run(x):
    if not beside.kept:
        beside.kept.append(torch.zeros_like(x))
    return beside.kept[0]
"""
    asked = call("run", ("x", tensor("f32", 4)))
    answer = run(source, asked, asked)
    assert [len(c["nodes"]) for c in answer.recording("s2")["calls"]] == [1, 0, 0]


def test_the_same_kernel_for_other_sizes_is_compiled_once():
    answer = run(HOST_CODES / "add_lambda_grid.py",
                 *[call("add", ("self", tensor("f32", n)), ("other", tensor("f32", n))) for n in (33, 100, 999)])
    texts = {answer.recording(f"s{i}")["kernels"][0]["ttir"] for i in (1, 2, 3)}
    assert len(texts) == 1


def test_calls_may_differ_and_each_is_kept():
    source = KERNELS + "\ncount = 0\ndef run(x):\n    global count\n    count += 1\n    for _ in range(count):\n" \
                       "        add_(x, x)\n    return x\n"
    made = run(source, call("run", ("x", tensor("f32", 4, mutated=True)))).recording()
    assert [len(c["nodes"]) for c in made["calls"]] == [1, 2, 3]


# -- values that the card gives to host code --------------------------------------------------------------------------
LENGTHS = "import torch\ndef run(x, lens):\n    n = lens.tolist()\n    return torch.empty(sum(n), device='cuda')\n"


def lengths_call():
    return call("run", ("x", tensor("f32", 4)), ("lens", tensor("i32", 3, domain=("integers", 1, 9), host=True)))


def test_host_values_are_read_without_a_finding():
    values = {f"{c}/lens": base64.b64encode(struct.pack("3i", c + 1, 2, 3)).decode() for c in range(3)}
    made = run(LENGTHS, lengths_call(), host_values=values).recording()
    assert [c["outputs"][0]["tensor"]["shape"] for c in made["calls"]] == [[6], [7], [8]]
    assert not any(c["events"] for c in made["calls"])


def test_without_them_the_read_is_a_finding_and_the_decoy_lies_in_the_domain():
    made = run(LENGTHS, lengths_call()).recording()
    assert made["calls"][0]["outputs"][0]["tensor"]["shape"] == [3]
    assert {e["kind"] for e in made["calls"][0]["events"]} == {"host_read"}


def test_what_is_raised_after_a_read_of_made_up_values_is_told_as_the_read():
    source = "def run(x):\n    n = int(x[0].item())\n    return 1 // n\n"
    error = run(source, call("run", ("x", tensor("f32", 4)))).error()
    assert (error["kind"], error["line"]) == ("host_read", 2) and "ZeroDivisionError" in error["message"]


def test_host_values_of_the_wrong_size_are_the_judges_error():
    assert run(LENGTHS, lengths_call(), host_values={"0/lens": "AAAA"}).error()["kind"] == "infra"


# -- the device that host code is told of -----------------------------------------------------------------------------
def test_device_facts_come_from_the_chip_card():
    source = """
import torch
from triton.runtime import driver
def run(x):
    p = torch.cuda.get_device_properties(0)
    assert (p.name, p.multi_processor_count, p.major, p.minor) == ("Imaginary", 7, 8, 0)
    assert torch.cuda.get_device_name() == "Imaginary" and torch.cuda.get_device_capability(x.device) == (8, 0)
    assert driver.active.utils.get_device_properties(0)["multiprocessor_count"] == 7
    assert driver.active.get_current_target().arch == 80
    return x
"""
    chip = {"name": "Imaginary", "multiprocessors": 7, "capability": [8, 0]}
    assert run(source, call("run", ("x", tensor("f32", 4))), chip=chip).recording()


def test_autotune_table_chooses_another_configuration():
    asked = call("copy", ("x", tensor("f32", 1000)))
    answer = run(HOST_CODES / "autotuned.py", asked, autotune={"mode": "first", "table": {"copy_kernel": 2}})
    assert answer.recording()["calls"][0]["nodes"][0]["grid"] == [2, 1, 1]
    assert answer.by_job["s1"]["autotuned"] == {"copy_kernel": {"configurations": 3, "chosen": 2}}


def test_autotune_mode_all_keeps_what_tuning_launched():
    asked = call("double_", ("x", tensor("f32", 1000, mutated=True)))
    made = run(HOST_CODES / "autotune_restore.py", asked, autotune={"mode": "all"}).recording()
    assert [n["node"] for n in made["calls"][0]["nodes"]] == (
        ["copy", "copy"] + ["copy", "launch", "copy"] * 2 + ["launch"])  # 96 does not compile: saved and restored
    assert [n["node"] for n in made["calls"][1]["nodes"]] == ["launch"]


def test_what_a_class_says_of_itself_is_not_believed():
    source = """
import torch
class Meta(type):
    __name__ = property(lambda cls: [1])
class Odd(metaclass=Meta):
    pass
def run(x):
    return Odd(), "\\udc80" * 5000, (1j, float("nan"))
"""
    made = run(source, call("run", ("x", tensor("f32", 4)))).recording()
    odd, text, number, nan = made["calls"][0]["outputs"]
    assert odd["type"] == "Odd" and text["scalar"] == "?" * 1000
    assert (number["scalar"], nan["scalar"]) == ([0.0, 1.0], "nan") and made["calls"][0]["structure"] == "tuple[3]"
