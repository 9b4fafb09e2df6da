# SPDX-License-Identifier: Apache-2.0
"""Host code that no plan can carry ends as `unsupported`, told by its name and with the candidate's line."""
import pytest
from harness import call, run, tensor
from test_policy import FIRST_LINE, HEAD, body

ASKED = call("run", ("x", tensor("f32", 8, 16)))


def refused(source):
    error = run(source, ASKED).error()
    assert error["kind"] == "recorder_unsupported" and error["file"] == "candidate.py", error
    return error


@pytest.mark.parametrize("text, what", [
    ("torch.cuda.CUDAGraph()", "torch.cuda.CUDAGraph"),
    ("with torch.cuda.graph(None):\n    pass", "torch.cuda.graph"),
    ("torch.cuda.make_graphed_callables(launch, (x, x))", "torch.cuda.make_graphed_callables"),
    ("from torch.cuda.graphs import CUDAGraph\nCUDAGraph()", "torch.cuda.CUDAGraph"),
    ("torch.cuda.graph_pool_handle()", "torch.cuda.graph_pool_handle"),
    ("x.requires_grad_().sum().backward()", "autograd's backward pass"),
    ("torch.autograd.grad(x.requires_grad_().sum(), x)", "autograd's backward pass"),
    ("torch.cuda.ExternalStream(5)", "torch.cuda.ExternalStream"),
    ("torch.cuda.Event(interprocess=True).ipc_handle()", "torch.cuda.Event.ipc_handle"),
    ("torch.cuda.Event.from_ipc_handle(0, b'')", "torch.cuda.Event.from_ipc_handle"),
    ("import pickle\npickle.dumps(x)", "pickling a device tensor"),
    ("import io\ntorch.save(x, io.BytesIO())", "pickling a device tensor"),
    ("torch.cuda.cudart()", "torch.cuda.cudart"),
    ("torch.cuda.MemPool()", "torch.cuda.MemPool"),
    ("torch.cuda.caching_allocator_alloc(4)", "torch.cuda.caching_allocator_alloc"),
    ("torch.cuda.current_blas_handle()", "torch.cuda.current_blas_handle"),
    ("x.resize_(1000)", "resize_ beyond the tensor's storage"),
    ("x.to_sparse()", "a tensor of layout torch.sparse_coo"),
    ("torch.sparse_coo_tensor([[0], [1]], [1.0], (2, 2), device='cuda')", "a tensor of layout torch.sparse_coo"),
    ("for _ in range(20000):\n    x.view(-1)[0].zero_()", "a call with more than 16000 launches, fills and copies"),
])
def test_what_is_refused_says_its_name(text, what):
    error = refused(body(text + "\nreturn x"))
    assert error["message"].startswith(f"Unsupported: {what}") and error["line"] > FIRST_LINE


@pytest.mark.parametrize("text", [
    "torch.nested.nested_tensor([x, x])",
    "torch.nn.LSTM(16, 8).cuda()",
    "with torch._C._DisableTorchDispatch():\n    torch.empty_like(x)",
    "torch.as_tensor(type('A', (), {'__cuda_array_interface__': x.__cuda_array_interface__})())",
])
def test_what_asks_for_the_device_below_the_recorder_is_no_fault_of_the_candidate(text):
    error = refused(body(text + "\nreturn x"))
    assert error["message"].startswith("asks for the device below") and error["line"] > FIRST_LINE


def test_an_exception_of_the_same_words_is_not_taken_for_a_pass():
    refused(body("raise RuntimeError('Found no NVIDIA driver on your system')"))


GLUON = """\
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def copy(x, o, B: gl.constexpr):
    i = gl.arange(0, B, layout=gl.BlockedLayout([1], [32], [4], [0]))
    gl.store(o + i, gl.load(x + i))


def run(x):
    o = torch.empty_like(x)
    copy[(1,)](x, o, B=128)
    return o
"""


def test_gluon_is_refused_by_its_name():
    error = refused(GLUON)
    assert "a Gluon kernel" in error["message"] and error["line"] == 14


ADDRESS = HEAD + """
@triton.jit
def baked(P: tl.constexpr, o, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(o + i, tl.load(tl.cast(P, tl.int64).to(tl.pointer_type(tl.float32)) + i))


def run(x):
    o = torch.empty_like(x)
    baked[(1,)](x.data_ptr() + 4, o, B=16)
    return o
"""


def test_an_address_that_a_kernel_was_compiled_with_is_refused():
    error = refused(ADDRESS)
    assert "an address as a constant of kernel baked" in error["message"] and "baked[" in \
        ADDRESS.splitlines()[error["line"] - 1]


IR = HEAD + """
def run(x):
    o = torch.empty_like(x)
    text = copy_kernel.warmup(x, o, 128, B=128, grid=(1,)).asm["ttir"].decode()
    with open("mine.ttir", "w") as file:
        file.write(text)
    triton.compile("mine.ttir")[(1, 1, 1)](x, o, 128)
    return o
"""


def test_a_kernel_given_as_ir_text_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "a kernel that was given as IR text" in refused(IR)["message"]


@pytest.mark.parametrize("text, what", [
    ("launch(x, o)[0, 0].item()", "aten::_local_scalar_dense of an intermediate of its own"),
    ("bool(x[0, 0])", "aten::_local_scalar_dense"),
    ("x.tolist()", "aten::_to_copy"), ("x.numpy(force=True)", "aten::_to_copy"), ("x.cpu().numpy()", "aten::_to_copy"),
    ("torch.empty(8, 16).copy_(x)", "aten::copy_"), ("x.untyped_storage()[0]", "aten::_local_scalar_dense"),
    ("f'{x[0, 0]:.3f}'", "aten::_local_scalar_dense"), ("str([x])", "print of a tensor"),
    ("import logging\nlogging.warning('%s', x)", "print of a tensor"), ("torch.unique(x)", "aten::_unique2"),
    ("torch.equal(x, x)", "aten::equal"),
])
def test_reads_of_values_are_noted_with_their_line(text, what):
    made = run(body("o = torch.empty_like(x)\n" + text + "\nreturn launch(x, o)"), ASKED).recording()
    read = next(e for e in made["calls"][0]["events"] if e["kind"] == "host_read")
    assert read["what"] == what and read["line"] == FIRST_LINE + 2 + text.count("\n")
