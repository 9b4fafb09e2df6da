# SPDX-License-Identifier: Apache-2.0
"""What host code may not do: each class of operator ends in an event with the candidate's line."""
import textwrap

import plan_check
import pytest
from harness import call, run, tensor

HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)


def launch(x, o):
    copy_kernel[(triton.cdiv(x.numel(), 128),)](x, o, x.numel(), B=128)
    return o


"""
FIRST_LINE = HEAD.count("\n") + 1


def body(text):
    """A candidate whose entry `run(x)` has this body."""
    return HEAD + "def run(x):\n" + textwrap.indent(textwrap.dedent(text).strip("\n"), "    ") + "\n"


X = tensor("f32", 8, 16)


def events(text, x=X, **request):
    """(kind, what) of the first call's events."""
    asked = call("run", ("x", x))
    made = run(body(text), asked, **request).recording()
    plan_check.check(made, [asked] * 3)
    return [(e["kind"], e["what"]) for e in made["calls"][0]["events"]]


@pytest.mark.parametrize("text, what", [
    ("return x + 1", "aten::add.Tensor"),
    ("return torch.softmax(x, -1)", "aten::_softmax"),
    ("return x @ x.t()", "aten::mm"),
    ("return x.add_(1)", "aten::add_.Tensor"),
    ("return torch.where(x > 0, x, torch.zeros_like(x))", "aten::where.self"),
    ("return torch.cat([x, x])", "aten::cat"),
    ("return torch.nn.functional.layer_norm(x, (16,))", "aten::native_layer_norm"),
    ("with torch.inference_mode():\n    return torch.matmul(x, x.t())", "aten::mm"),
    ("return torch.compile(lambda y: y * 2)(x)", "aten::mul.Tensor"),
    ("out = torch.empty(8, device=x.device)\nreturn torch.sum(x, 1, out=out)", "aten::sum.IntList_out"),
])
def test_computing_through_torch_is_seen(text, what):
    assert ("torch_compute", what) in events(text)


def test_a_fallback_in_an_except_branch_is_seen():
    text = """
    try:
        copy_kernel[(1,)](x, x, 1, B=100)
    except Exception:
        return torch.relu(x)
    """
    assert ("torch_compute", "aten::relu") in events(text)


def test_shapes_after_computation_are_right():
    asked = call("run", ("x", X))
    made = run(body("return (x.t() @ x).sum(0, keepdim=True).to(torch.float64)"), asked).recording()
    view = made["calls"][0]["outputs"][0]["tensor"]
    assert view["shape"] == [1, 16] and view["dtype"] == "f64"


def test_the_event_names_the_line():
    made = run(body("y = torch.empty_like(x)\nlaunch(x, y)\nreturn y * 2"), call("run", ("x", X))).recording()
    event, = made["calls"][2]["events"]
    assert (event["file"], event["line"]) == ("candidate.py", FIRST_LINE + 3)


@pytest.mark.parametrize("text, what", [
    ("return torch.rand(4, device='cuda')", "aten::rand"),
    ("return torch.empty_like(x).normal_()", "aten::normal_"),
    ("return torch.nn.functional.dropout(x, 0.5)", "aten::native_dropout"),
    ("return torch.randn(4, device='cuda', generator=torch.Generator('cuda').manual_seed(1))",
     "aten::randn.generator"),
    ("return torch.bernoulli(x)", "aten::bernoulli"),
])
def test_random_numbers_of_torch_are_seen(text, what):
    assert ("torch_random", what) in events(text)


def test_random_numbers_of_the_host_may_not_be_uploaded():
    assert ("torch_random", "upload of random numbers made on the host") in events(
        "return launch((torch.rand(8, 16) * 2).cuda(), torch.empty_like(x))")


def test_a_seed_drawn_on_the_host_is_no_finding():
    assert events("seed = torch.randint(0, 2**31, (1,)).item()\nreturn launch(x, torch.empty_like(x))") == []


@pytest.mark.parametrize("text", [
    "x[0, 0].item()", "x.cpu()", "x.tolist()", "bool(x[0, 0] )", "float(x[1, 1])", "torch.equal(x, x)", "print(x)",
    "f'{x}'", "x.to('cpu')", "torch.empty(8, 16).copy_(x)", "torch.nonzero(x)", "x[x > 0]", "x.unique()",
    "import numpy\nnumpy.asarray(x.cpu())", "x.untyped_storage().cpu()",
])
def test_reading_device_values_is_seen(text):
    assert "host_read" in {kind for kind, _ in events(text + "\nreturn launch(x, torch.empty_like(x))")}


@pytest.mark.parametrize("text", [
    "assert torch.tensor([3, 4], device='cuda').tolist() == [3, 4]",
    "assert torch.zeros(4, device='cuda').cpu().sum() == 0",
    "assert torch.arange(5, device='cuda')[3].item() == 3",
    "assert torch.full((2,), 7, device='cuda').clone()[1].item() == 7",
    "t = torch.tensor([1, 2], device='cuda')\nt[1] = 9\nassert t.tolist() == [1, 9]",
])
def test_reading_back_what_the_host_wrote_is_no_read_of_values(text):
    assert events(text + "\nreturn launch(x, torch.empty_like(x))") == []


def test_a_kernel_makes_known_values_unknown():
    text = "o = torch.zeros_like(x)\nlaunch(x, o)\no[0, 0].item()\nreturn o"
    assert ("host_read", "aten::_local_scalar_dense of an intermediate of its own") in events(text)


@pytest.mark.parametrize("forbid, text", [
    ("aten::clone", "return launch(x, x.clone())"),
    ("aten::clone", "return launch(x, x.t().contiguous())"),
    ("aten::contiguous", "return launch(x, x.t().contiguous())"),
    ("aten::zeros", "return launch(x, torch.zeros(8, 16, device='cuda'))"),
    ("aten::copy_", "o = torch.empty_like(x)\no.copy_(x)\nreturn launch(x, o)"),
    ("aten::to", "return launch(x, x.to(torch.float16))"),
    ("aten::arange", "return launch(x, torch.arange(128, device='cuda'))"),
    ("aten::permute", "return launch(x, torch.empty(16, 8, device='cuda').permute(1, 0))"),
])
def test_a_helper_that_is_the_operator_is_seen(forbid, text):
    assert forbid.partition("::")[0] and "helper_is_operator" in {k for k, _ in events(text, forbid=[forbid])}
    assert "helper_is_operator" not in {k for k, _ in events(text)}


def test_uploads_over_the_cap_are_seen():
    text = "t = torch.ones(1000) * 2\nreturn launch(t.cuda(), torch.empty(1000, device='cuda'))"
    assert events(text) == []
    assert "upload_too_large" in {kind for kind, _ in events(text, upload_cap=1000)}


def test_small_uploads_add_up_within_a_call():
    text = "for i in range(10):\n    torch.tensor([i] * 20).cuda()\nreturn launch(x, torch.empty_like(x))"
    assert "upload_too_large" in {kind for kind, _ in events(text, upload_cap=1000)}
    assert "upload_too_large" not in {kind for kind, _ in events(text, upload_cap=1600)}


def outputs(text):
    return run(body(text), call("run", ("x", X))).recording()["calls"][0]["outputs"]


def test_a_tensor_subclass_is_an_odd_return():
    text = """
    class Lazy(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            raise RuntimeError("computed late")
    return torch.Tensor._make_subclass(Lazy, torch.empty_like(x))
    """
    leaf, = outputs(text)
    assert leaf["odd"] and leaf["type"] == "Lazy"


def test_instance_attributes_are_an_odd_return():
    leaf, = outputs("o = torch.empty_like(x)\no.cpu = lambda: None\nreturn launch(x, o)")
    assert leaf["odd"] and leaf["type"] == "Tensor"


def test_other_returns_are_described_not_odd():
    assert outputs("return {'out': x}")[0] == {"path": "return", "type": "dict", "scalar": None, "odd": False}
    assert outputs("return []") == []
    assert [leaf["type"] for leaf in outputs("return (x, None, 2.5, torch.empty(3))")] == [
        "Tensor", "NoneType", "float", "Tensor(cpu)"]
    assert outputs("return torch.nn.Parameter(x)")[0]["type"] == "Parameter"


HONEST = body("return launch(x, torch.empty_strided((8, 16), (16, 1), device='cuda'))")


@pytest.mark.parametrize("text, name", [
    ("torch.empty_like = lambda t: t", "torch.empty_like"),
    ("torch.Tensor.float = lambda t: t", "torch.Tensor.float"),
    ("import triton.runtime.jit as j\nj.JITFunction.run = lambda *a, **k: None", "triton.runtime.jit.JITFunction.run"),
    ("import kgbench.author.recorder as r\nr.Recorder.fill = lambda *a: None",
     "kgbench.author.recorder.Recorder.fill"),
    ("tl.sum = tl.max", "triton.language.sum"),
])
def test_replaced_functions_are_seen(text, name):
    made = run(HONEST + "\n" + text + "\n", call("run", ("x", X))).recording()
    assert ("judge_patched", name) in {(e["kind"], e["what"]) for c in made["calls"] for e in c["events"]}


def test_honest_candidates_replace_nothing():
    source = HONEST + "\ntorch.backends.cuda.matmul.allow_tf32 = True\ntorch.set_default_dtype(torch.float32)\n"
    made = run(source, call("run", ("x", X))).recording()
    assert not any(c["events"] for c in made["calls"])


def test_a_replaced_writer_cannot_speak_for_the_recorder():
    """The nonce is in no frame then: the judge takes nothing of it."""
    answer = run(HONEST + "\nimport json\njson.dumps = lambda *a, **k: '{\"job\": \"s1\", \"ok\": true}'\n",
                 call("run", ("x", X)))
    assert not any(header.get("nonce") == "abc" for header, _ in answer.frames)


def test_unsupported_things_that_are_caught_stay_as_events():
    text = "try:\n    torch.cuda.CUDAGraph()\nexcept RuntimeError:\n    pass\nreturn launch(x, torch.empty_like(x))"
    assert ("recorder_unsupported", "torch.cuda.CUDAGraph") in events(text)


def test_a_thread_that_outlives_the_call_is_seen():
    text = """
    import threading, time
    o = torch.empty_like(x)
    threading.Thread(target=lambda: (time.sleep(30), launch(x, o)), daemon=True).start()
    return o
    """
    asked = call("run", ("x", X))
    answer = run(body(text), asked, asked)
    for name in ("s1", "s2"):
        error = answer.error(name)
        assert (error["kind"], error["message"]) == ("recorder_unsupported", "a thread that outlives the call")
        assert error["line"] == FIRST_LINE + 3


def test_a_worker_thread_of_the_import_is_seen():
    source = HEAD + """
import _thread, time
_thread.start_new_thread(lambda: time.sleep(30), ())

def run(x):
    return launch(x, torch.empty_like(x))
"""
    error = run(source, call("run", ("x", X))).error()
    assert (error["kind"], error["message"]) == ("recorder_unsupported", "a thread that outlives the call")
