# SPDX-License-Identifier: Apache-2.0
"""Tuned kernels in every way that Triton offers to tune one: one configuration is recorded, chosen by rule."""
import pytest
from harness import call, run, tensor

SOURCE = """
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

CONFIGS = [triton.Config({"B": 64}, num_warps=1), triton.Config({"B": 128}, num_warps=2),
           triton.Config({"B": 256}, num_warps=4)]


DECORATORS
@triton.jit
def tuned(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, tl.load(x + i, mask=i < n), mask=i < n)


def run(x):
    o = torch.empty_like(x)
    tuned[lambda m: (triton.cdiv(x.numel(), m["B"]),)](x, o, x.numel())
    return o
"""
ASKED = call("run", ("x", tensor("f32", 1024)))


def grids(decorators, **request):
    answer = run(SOURCE.replace("DECORATORS", decorators), ASKED, **request)
    made = answer.recording()
    assert not any(c["events"] for c in made["calls"])
    return [[n["grid"][0] for n in c["nodes"]] for c in made["calls"]], answer.by_job["s1"]["autotuned"]


@pytest.mark.parametrize("decorators", [
    "@triton.autotune(CONFIGS, key=['n'])",
    "@triton.autotune(CONFIGS, key=['n'], warmup=5, rep=20)",
    "@triton.autotune(CONFIGS, key=['n'], use_cuda_graph=True)",
    "@triton.autotune(CONFIGS, key=['n'], cache_results=True)",
    "@triton.autotune(CONFIGS, key=[], do_bench=lambda f, quantiles: triton.testing.do_bench(f, quantiles=quantiles))",
    "@triton.autotune(CONFIGS, key=['n'], prune_configs_by={'perf_model': lambda B, **k: B, 'top_k': 2})",
    "@triton.autotune(CONFIGS, key=['n'], do_bench=lambda f, quantiles: [f(), 1.0, 1.0, 1.0][1:])",
    "@triton.autotune(CONFIGS, key=['n'], post_hook=lambda args, exception: None)",
    "@triton.autotune(CONFIGS, key=['n'], restore_value=['o'])",
])
def test_the_first_configuration_is_recorded_alone(decorators):
    found, tuned = grids(decorators)
    assert found == [[16], [16], [16]] and tuned["tuned"]["chosen"] == 0


@pytest.mark.parametrize("settings, first, all_", [
    ("prune_configs_by={'early_config_prune': lambda configs, args, **k: configs[1:]}", ["8"], ["8", "4", "8"]),
    ("prune_configs_by={'perf_model': lambda B, **k: -B, 'top_k': 0.7}", ["4"], ["4", "8", "4"]),
    ("reset_to_zero=['o']", ["fill", "16"], ["fill", "16", "fill", "8", "fill", "4", "fill", "16"]),
    ("pre_hook=lambda args, reset_only=False: args['o'].zero_()", ["fill", "16"],
     ["fill", "16", "fill", "8", "fill", "4", "fill", "16"]),
    ("restore_value=['o']", ["16"], ["copy", "16", "copy", "copy", "8", "copy", "copy", "4", "copy", "16"]),
])
def test_what_tuning_does_around_its_launches(settings, first, all_):
    source = SOURCE.replace("DECORATORS", f"@triton.autotune(CONFIGS, key=['n'], {settings})")
    for mode, expected in (("first", first), ("all", all_)):
        made = run(source, ASKED, autotune={"mode": mode}).recording()
        assert [str(n.get("grid", [n["node"]])[0]) for n in made["calls"][0]["nodes"]] == expected
        assert len(made["calls"][1]["nodes"]) == 1  # tuned already


def test_a_configuration_that_does_not_compile_is_passed_over():
    source = SOURCE.replace("DECORATORS", "@triton.autotune(CONFIGS, key=['n'])").replace(
        "    tl.store", "    tl.static_assert(B > 64)\n    tl.store")
    made = run(source, ASKED).recording()
    assert [c["nodes"][0]["grid"][0] for c in made["calls"]] == [8, 8, 8]


@pytest.mark.parametrize("index, grid", [(0, 16), (1, 8), (2, 4)])
def test_the_table_chooses(index, grid):
    found, tuned = grids("@triton.autotune(CONFIGS, key=['n'])", autotune={"table": {"tuned": index}})
    assert found == [[grid]] * 3 and tuned == {"tuned": {"configurations": 3, "chosen": index}}


def test_one_configuration_is_no_tuning():
    assert grids("@triton.autotune(CONFIGS[:1], key=['n'])") == ([[16]] * 3, {})


def test_heuristics_above_and_below_a_tuner():
    decorators = "@triton.autotune([triton.Config({}, num_warps=1), triton.Config({}, num_warps=2)], key=['n'])\n" \
                 "@triton.heuristics({'B': lambda a: 512})"
    assert grids(decorators)[0] == [[2]] * 3


def test_when_no_configuration_compiles_the_front_end_speaks():
    source = SOURCE.replace("DECORATORS", "@triton.autotune(CONFIGS, key=['n'])").replace("x + i, mask", "x @ i, mask")
    assert run(source, ASKED).error()["kind"] == "frontend_error"


def test_every_new_key_tunes_again():
    source = SOURCE.replace("DECORATORS", "@triton.autotune(CONFIGS, key=['n'])")
    answer = run(source, ASKED, call("run", ("x", tensor("f32", 100))), autotune={"mode": "all"})
    assert [len(c["nodes"]) for c in answer.recording("s1")["calls"]] == [4, 1, 1]
    assert [len(c["nodes"]) for c in answer.recording("s2")["calls"]] == [4, 1, 1]


HOOKED = """
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def shape_blocks(args):
    args["x"].block_shape = [args["M"], args["N"]]
    args["o"].block_shape = [args["M"], args["N"]]


@triton.autotune([triton.Config({"M": m, "N": 32}, pre_hook=shape_blocks) for m in (16, 32)], key=["rows"])
@triton.jit
def tuned(x, o, rows, M: tl.constexpr, N: tl.constexpr):
    at = [tl.program_id(0) * M, tl.program_id(1) * N]
    o.store(at, x.load(at))


def run(x):
    o = torch.empty_like(x)
    d = [TensorDescriptor.from_tensor(t, [1, 32]) for t in (x, o)]
    tuned[lambda m: (triton.cdiv(x.shape[0], m["M"]), triton.cdiv(x.shape[1], m["N"]))](*d, x.shape[0])
    return o
"""


@pytest.mark.parametrize("index, rows", [(0, 4), (1, 2)])
def test_hooks_that_shape_descriptors_run_before_the_launch(index, rows):
    made = run(HOOKED, call("run", ("x", tensor("f32", 64, 64))), autotune={"table": {"tuned": index}}).recording()
    node, = made["calls"][0]["nodes"]
    assert node["grid"] == [rows, 2, 1] and f"tensor<{64 // rows}x32xf32>" in made["kernels"][0]["ttir"]
