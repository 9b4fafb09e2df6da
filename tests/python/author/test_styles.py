# SPDX-License-Identifier: Apache-2.0
"""Short honest host codes in the many ways of saying a thing: each records launches and leaves no event."""
import plan_check
import pytest
from harness import call, run, tensor
from test_policy import HEAD, body

X = tensor("f32", 8, 16)


def recording(text, x=X, head="", allow=(), **request):
    asked = call("run", ("x", x))
    made = run(head + body(text), asked, **request).recording()
    plan_check.check(made, [asked] * 3)
    assert [e for e in made["calls"][0]["events"] if e["kind"] not in allow] == []
    return made


OUT = "return launch(x, torch.empty_like(x))"


@pytest.mark.parametrize("text", [
    # making tensors
    "return launch(x, torch.empty(8, 16, device='cuda'))",
    "return launch(x, torch.empty((8, 16), device=x.device, dtype=x.dtype, memory_format=torch.contiguous_format))",
    "return launch(x, x.new_empty(8, 16))",
    "return launch(x, torch.empty_strided((8, 16), (16, 1), device='cuda:0'))",
    "return launch(x, torch.cuda.FloatTensor(8, 16))",
    "return launch(x, torch.empty_permuted((8, 16), (0, 1), device=0))",
    "return launch(x, torch.zeros(8, 16).cuda())",
    "return launch(x, torch.zeros(8, 16, pin_memory=True).to('cuda', non_blocking=True))",
    "t = torch.tensor([1.0, 2.0], device='cuda')\nreturn launch(t, torch.empty_like(t))",
    "t = torch.as_tensor([1, 2], device=x.device)\nreturn launch(t, torch.empty_like(t))",
    "t = x.new_tensor([[1, 2]])\nreturn launch(t, torch.empty_like(t))",
    "t = torch.cuda.IntTensor([1, 2])\nreturn launch(t, torch.empty_like(t))",
    "import numpy as np\nt = torch.from_numpy(np.arange(4.0)).cuda()\nreturn launch(t, torch.empty_like(t))",
    "t = torch.linspace(0, 1, 5, device='cuda')\nreturn launch(t, torch.empty_like(t))",
    "t = torch.eye(3, device='cuda', dtype=torch.float16)\nreturn launch(t, torch.empty_like(t))",
    "t = torch.tril_indices(3, 4, offset=1, device='cuda')\nreturn launch(t, torch.empty_like(t))",
    "t = torch.scalar_tensor(2.0, device='cuda')\nreturn launch(t, torch.empty_like(t))",
    "with torch.device('cuda'):\n    t = torch.full((3,), 2)\nreturn launch(t, torch.empty_like(t))",
    "torch.set_default_device('cuda')\no = torch.empty(8, 16)\ntorch.set_default_device('cpu')\nreturn launch(x, o)",
    "return launch(x, torch.full(x.shape, float('-inf'), device='cuda'))",
    "o = torch.empty_like(x)\no.zero_()\no[0] = 3\no[1:3, 2] = 2.5\no[4] = x[4]\nreturn launch(x, o)",
    "o = torch.empty(16, 8, device='cuda').t()\no.copy_(x)\nreturn launch(x, o)",
    "o = torch.empty_like(x)\no.copy_(torch.arange(16))\nreturn launch(x, o)",
    # views
    "v = x.view(-1)[3:].unfold(0, 4, 2).transpose(0, 1).squeeze()\nlaunch(v, torch.empty(x.numel()).cuda())\n" + OUT,
    "for v in x.split(3, 0) + x.chunk(2, 1) + tuple(x.unbind()):\n    assert v.data_ptr() >= x.data_ptr()\n" + OUT,
    "return launch(x.as_strided((4,), (2,), 5), torch.empty(4, device='cuda'))",
    "return launch(x.view(torch.int32), torch.empty_like(x, dtype=torch.int32)).view(torch.float32)",
    "return launch(x.detach().data.flatten().unflatten(0, (8, 16)).view_as(x), torch.empty_like(x))",
    "y = torch.empty(0, device='cuda').set_(x.untyped_storage(), 16, (4, 4), (4, 1))\n"
    "return launch(y, torch.empty_like(y))",
    "return launch(torch.from_dlpack(x), torch.empty_like(x))",
    "assert x.__cuda_array_interface__['data'][0] == x.data_ptr()\n" + OUT,
    "return launch(x.expand(3, 8, 16)[1].mT.mT.movedim(0, 1).swapaxes(0, 1), torch.empty_like(x))",
    "return launch(torch.atleast_3d(x).narrow(0, 1, 2).diagonal(0, 0, 1), torch.empty(100, device='cuda'))",
    # questions
    "assert x.is_cuda and x.is_contiguous() and not x.is_cpu and x.get_device() == 0 and x.element_size() == 4\n" + OUT,
    "assert x.device == torch.device('cuda', 0) and x.device.type == 'cuda' and str(x.device) == 'cuda:0'\n" + OUT,
    "assert isinstance(x, torch.cuda.FloatTensor) and x.layout == torch.strided and not x.requires_grad\n" + OUT,
    "assert torch.accelerator.current_accelerator().type == 'cuda' and torch.cuda.mem_get_info()[0] > 0\n" + OUT,
    "assert torch.cuda.is_current_stream_capturing() is False\ntorch.cuda.empty_cache()\n" + OUT,
    "assert isinstance(torch.cuda.current_stream(), torch.cuda.Stream)\n" + OUT,
    "with torch.cuda.device(0), torch.cuda.stream(torch.cuda.current_stream()):\n    " + OUT,
    "with torch.cuda.device('cuda:0'):\n    torch.cuda.nvtx.range_push('a')\n    " + OUT,
    "with torch.autocast('cuda', dtype=torch.float16), torch.no_grad():\n    " + OUT,
    "prev = torch.get_default_dtype()\nassert torch.promote_types(x.dtype, torch.float16) == prev\n" + OUT,
    "assert torch.result_type(x, 1.5) == torch.float32 and torch.broadcast_shapes((1, 3), (2, 1)) == (2, 3)\n" + OUT,
    "from torch.cuda.streams import Event, Stream\ns = Stream()\ns.wait_stream(torch.cuda.current_stream())\n"
    "e = Event(enable_timing=True)\ne.record(s)\ntorch.cuda.synchronize()\n" + OUT,
    "from torch.cuda.memory import max_memory_allocated\nassert max_memory_allocated() == 0\n" + OUT,
    "import copy\ny = copy.copy(x)\nassert y.data_ptr() == x.data_ptr() and y is not x\n" + OUT,
    "import copy\nassert copy.copy(torch.ones(2)).sum() == 2 and copy.deepcopy([torch.ones(2)])[0].sum() == 2\n" + OUT,
    "import dataclasses\n@dataclasses.dataclass\nclass C:\n    t: torch.Tensor\n"
    "y = dataclasses.replace(C(x), t=x).t\nreturn launch(y, torch.empty_like(y))",
    "m = torch.nn.Linear(2, 3, device='meta')\nassert m.weight.is_meta\n" + OUT,
    "torch.manual_seed(3)\nassert torch.cuda.initial_seed() == 3\n" + OUT,
    "with torch.random.fork_rng():\n    torch.manual_seed(1)\n" + OUT,
    "from torch.nn.attention import sdpa_kernel\nassert torch.backends.cuda.flash_sdp_enabled() in (True, False)\n"
    + OUT,
    # ways to launch
    "o = torch.empty_like(x)\ncopy_kernel.run(x, o, 128, B=128, grid=(1,), warmup=False)\nreturn o",
    "o = torch.empty_like(x)\ncopy_kernel[1, 1, 1](x, o, n=128, B=128, num_warps=2, num_stages=1)\nreturn o",
    "o = torch.empty_like(x)\nk = copy_kernel[(1,)](x, o, 128, B=128)\nk[(1, 1, 1)](x, o, 128, 128)\nreturn o",
    "o = torch.empty_like(x)\ncopy_kernel[(1,)](triton.reinterpret(x, tl.int32), triton.reinterpret(o, tl.int32), 128,"
    " B=128)\nreturn o",
    "o = torch.empty_like(x)\nk = copy_kernel.warmup(torch.float32, torch.float32, 128, B=128, grid=(1,))\n"
    "assert 'tt.func' in k.asm['ttir'].decode() and k.metadata.num_warps == 4\n" + OUT,
    "o = torch.empty_like(x)\ntorch.library.wrap_triton(copy_kernel)[(1,)](x, o, 128, B=128)\nreturn o",
    # random numbers
    "g = torch.Generator(device='cuda')\ns = g.get_state()\ng.set_state(s)\nassert s.numel() == 16\n" + OUT,
    "g = torch.Generator('cuda:0').manual_seed(5)\nassert g.initial_seed() == 5 and g.device.type == 'cuda'\n" + OUT,
    "assert isinstance(torch.Generator('cuda'), torch.Generator) and isinstance(torch.Generator(), torch.Generator)\n"
    + OUT,
    "g = torch.cuda.default_generators[x.device.index]\noff = g.get_offset()\ng.set_offset(off + 4)\n"
    "assert torch.cuda.get_rng_state().view(torch.int64)[1] == off + 4\n" + OUT,
    "s = torch.cuda.get_rng_state_all()\ntorch.cuda.set_rng_state_all(s)\ntorch.cuda.set_rng_state(s[0], 'cuda')\n"
    + OUT,
    "with torch.random.fork_rng(devices=[0]):\n    torch.cuda.manual_seed(3)\ntorch.seed()\n" + OUT,
    "assert torch.Generator('cuda').clone_state().graphsafe_get_state() is not None\n" + OUT,
    "seed = torch.randint(0, 2**31, (1,)).item()\n" + OUT,
    # resizing, old names of types, profilers
    "return launch(x, torch.empty(0, device='cuda').resize_(8, 16))",
    "y = x.type(torch.cuda.HalfTensor)\nassert y.dtype == torch.float16 and x.type() == 'torch.cuda.FloatTensor'\n"
    "assert torch.ones(2).type('torch.DoubleTensor').dtype == torch.float64\nreturn launch(y, torch.empty_like(y))",
    "assert torch.float16 in torch.accelerator.get_device_capability()['supported_dtypes']\n"
    "torch.accelerator.synchronize()\ntorch.get_device_module('cuda').synchronize()\n" + OUT,
    "p = torch.cuda.get_device_properties(x.device)\nassert p.multi_processor_count == 132 and p.warp_size == 32\n"
    "assert 'H200' in repr(p) and torch.cuda.Stream.priority_range() == (0, -5)\n" + OUT,
    "import copy\ny = copy.deepcopy([x, {'a': x}])\nassert y[0] is y[1]['a']\nreturn launch(y[0], torch.empty_like(x))",
    "y = torch.ones(3).pin_memory().cuda(non_blocking=True)\ny.record_stream(torch.cuda.current_stream())\n"
    "return launch(y, torch.empty_like(y))",
    "import numpy as np\no = torch.empty_like(x)\ncopy_kernel[(np.int64(1),)](x, o, 128, B=128)\nreturn o",
    "import asyncio\nasync def later():\n    launch(x, o)\no = torch.empty_like(x)\nasyncio.run(later())\nreturn o",
])
def test_honest_ways_are_recorded_without_an_event(text):
    made = recording(text, allow=("cast",))
    assert any(n["node"] == "launch" for n in made["calls"][2]["nodes"])


def test_library_implementations_of_torch_operators_are_the_candidates_kernels():
    head = HEAD + """
def relu(x):
    return launch(x, torch.empty_like(x))

lib = torch.library.Library("aten", "IMPL")
lib.impl("relu", relu, "CUDA")
"""
    made = run(head + "\n\ndef run(x):\n    return torch.relu(x)\n", call("run", ("x", X))).recording()
    assert [n["node"] for n in made["calls"][0]["nodes"]] == ["launch"] and made["calls"][0]["events"] == []


DEFINED = """
lib = torch.library.Library("mine4", "DEF")
lib.define("copy(Tensor x) -> Tensor")
aten = torch.library.Library("aten", "IMPL")
custom = {"mutates_args": (), "schema": "(Tensor x) -> Tensor"}


def copy(x):
    return launch(x, torch.empty_like(x))


def cast(x, dtype=None, **settings):
    return launch(x, torch.empty_like(x, dtype=dtype))

"""


@pytest.mark.parametrize("register, use", [
    ('torch.library.impl(lib, "copy", "CUDA")(copy)', "torch.ops.mine4.copy(x)"),
    ('torch.library.impl("mine4::copy", "cuda")(copy)', "torch.ops.mine4.copy(x)"),
    ('lib.impl("copy", copy, "CompositeExplicitAutograd")', "torch.ops.mine4.copy(x)"),
    ('lib.impl("copy", copy, "CompositeImplicitAutograd")', "torch.ops.mine4.copy(x)"),
    ('op = torch.library.custom_op("mine4::two", copy, device_types="cuda", **custom)', "op(x)"),
    ('torch.library.custom_op("mine4::two", device_types="cpu", **custom)(copy).register_kernel("cuda")(copy)',
     "torch.ops.mine4.two(x)"),
    ('aten.impl("_softmax", lambda x, dim, half: copy(x), "CUDA")', "torch.softmax(x, -1)"),
    ('aten.impl("relu", copy, "AutogradCUDA")', "torch.relu(x)"),
    ('aten.impl("contiguous", lambda x, memory_format=None: copy(x), "CUDA")', "x.t().contiguous().t()"),
    ('aten.impl("_to_copy", cast, "CUDA")', "x.to(torch.float16)"),
    ('aten.impl("add_.Tensor", lambda x, y, alpha=1: launch(x, x), "CUDA")', "torch.empty_like(x).add_(1)"),
])
def test_every_way_to_register_a_kernel_is_the_candidates_own(register, use):
    source = HEAD + DEFINED + register + f"\n\n\ndef run(x):\n    return {use}\n"
    made = run(source, call("run", ("x", X))).recording()
    assert [n["node"] for n in made["calls"][0]["nodes"]] == ["launch"] and made["calls"][0]["events"] == []


def test_numbers_for_tensors_reach_library_implementations_as_tensors():
    head = HEAD + """
def mul(x, y):
    assert isinstance(y, torch.Tensor) and y.dim() == 0
    return launch(x, torch.empty_like(x))

lib = torch.library.Library("aten", "IMPL")
lib.impl("mul.Tensor", mul, "CUDA")
"""
    made = run(head + "\n\ndef run(x):\n    return x * 2.5\n", call("run", ("x", X))).recording()
    assert [n["node"] for n in made["calls"][0]["nodes"]] == ["launch"] and made["calls"][0]["events"] == []


def test_triton_op_and_fake_registration():
    head = HEAD + """
@torch.library.triton_op("mine2::copy", mutates_args=())
def op(x: torch.Tensor) -> torch.Tensor:
    o = torch.empty_like(x)
    torch.library.wrap_triton(copy_kernel)[(1,)](x, o, x.numel(), B=128)
    return o

@op.register_fake
def _(x):
    return torch.empty_like(x)
"""
    made = run(head + "\n\ndef run(x):\n    return op(x)\n", call("run", ("x", X))).recording()
    assert [n["node"] for n in made["calls"][0]["nodes"]] == ["launch"] and made["calls"][0]["events"] == []


EXTRA = """
import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def wide(x, o, flag, a, big, M: tl.constexpr, N: tl.constexpr):
    d = tl.make_tensor_descriptor(x, shape=[M, N], strides=[N, 1], block_shape=[M, N])
    v = libdevice.tanh(d.load([0, 0])) * a
    if flag:
        tl.device_print("v", v)
    v = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [v], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(o + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], v + (big > 0))


def run(x):
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    o = torch.empty_like(x)
    wide[(1,)](x, o, False, float("nan"), 2**63 + 5, M=8, N=16, num_ctas=2, maxnreg=64)
    return o
"""


def test_descriptors_asm_libdevice_and_scalars_of_all_kinds():
    made = run(EXTRA, call("run", ("x", X))).recording()
    node, = made["calls"][0]["nodes"]
    kernel = made["kernels"][0]
    assert kernel["signature"] == ["*fp32", "*fp32", "u1", "fp32", "u64"]
    assert node["args"][2:] == [{"int": 0}, {"float": "nan"}, {"int": 5 - 2**63}]
    assert kernel["options"]["num_ctas"] == "2" and kernel["options"]["maxnreg"] == "64"
    assert "tt.make_tensor_descriptor" in kernel["ttir"] and "__nv_tanhf" in kernel["ttir"]


def test_known_values_survive_copies_between_buffers():
    recording("a = torch.tensor([1, 2, 3], device='cuda')\nb = torch.empty(3, dtype=torch.int64, device='cuda')\n"
              "b.copy_(a)\nassert b.tolist() == [1, 2, 3] and a.to(torch.float32)[2].item() == 3\n" + OUT,
              allow=("cast",))


def test_large_allocations_cost_nothing():
    text = "w = torch.zeros(1 << 34, device='cuda', dtype=torch.uint8)\nlaunch(x, w)\nw[-1].item()\n" + OUT
    made = recording(text, allow=("host_read",))
    assert max(b["bytes"] for b in made["buffers"]) == 1 << 34


@pytest.mark.parametrize("text, kinds", [
    ("return torch.arange(0, 2, 0.25, device='cuda')", ["constant"]),
    ("return torch.eye(2, device='cuda', dtype=torch.complex64)", ["upload"]),
    ("return torch.linspace(0, float('inf'), 3, device='cuda')", ["upload"]),
    ("return torch.arange(0, device='cuda')", []),
    ("return torch.triu_indices(4, 3, offset=-1, device='cuda')", ["constant"]),
    ("return torch.tensor(3.5, device='cuda')", ["fill"]),
    ("return torch.tensor([x.data_ptr()], device='cuda')", ["upload"]),
    ("return torch.tensor([[1, 2], [3, 4]], device='cuda').t().contiguous()", ["upload", "copy"]),
    ("o = torch.empty(4, 2, device='cuda').t()\no.copy_(torch.ones(2, 1))\nreturn o", ["upload", "copy"]),
    ("o = torch.empty(2, dtype=torch.complex64, device='cuda')\no.conj().copy_(torch.empty_like(o))\nreturn o",
     ["copy"]),
    ("o = torch.zeros(2, dtype=torch.complex64, device='cuda').conj()\no[1] = 1j\nreturn o", ["fill", "fill"]),
    ("return x.view(-1).resize_(4)", []),
])
def test_tensors_made_by_the_host_are_the_right_nodes(text, kinds):
    made = recording(text)
    assert [n["node"] for n in made["calls"][0]["nodes"]] == kinds


def test_a_conjugated_fill_stores_the_conjugate():
    import base64
    import struct
    made = recording("o = torch.zeros(2, dtype=torch.complex64, device='cuda').conj()\no[1] = 1j\nreturn o")
    fill = made["calls"][0]["nodes"][1]
    assert struct.unpack("2f", base64.b64decode(fill["value"])) == (0.0, -1.0)
    assert made["calls"][0]["outputs"][0]["tensor"]["conj"] is True


def test_libraries_are_defined_again_for_a_candidate_that_keeps_tensors():
    head = HEAD + """
lib = torch.library.Library("mine3", "DEF")
lib.define("copy(Tensor x) -> Tensor")
kept = []

def impl(x):
    if not kept:
        kept.append(torch.empty_like(x))
    return launch(x, kept[0])

lib.impl("copy", impl, "CUDA")
"""
    asked = call("run", ("x", X))
    answer = run(head + "\n\ndef run(x):\n    return torch.ops.mine3.copy(x)\n", asked, asked, asked)
    for name in ("s1", "s2", "s3"):
        assert [len(c["nodes"]) for c in answer.recording(name)["calls"]] == [1, 1, 1]


def test_registers_are_assumed_where_no_assembler_may_run():
    from harness import HOST_CODES
    source = (HOST_CODES / "warmup_occupancy.py").read_text() + """
import subprocess

def refuse(*args, **kwargs):
    raise PermissionError("no programs here")

subprocess.run = refuse
"""
    made = run(source, call("softmax", ("x", X))).recording()
    assert [(e["kind"], e["what"]) for e in made["calls"][0]["events"]] == [
        ("assumed", "64 registers for softmax_kernel")]
