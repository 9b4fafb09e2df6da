# SPDX-License-Identifier: Apache-2.0
"""What baselines on a device call, and in which order a call is recorded. There is no device here: torch's functions for
one are replaced by such that write down what is asked of them."""
import contextlib
import sys
import types

import pytest
import torch
from kgbench.baseline import device_worker, recorded

NAMES = {"self": torch.tensor([1.0, -2.0]), "alpha": 3}


def test_an_expression_of_torch_s_is_called_with_the_arguments():
    assert torch.equal(device_worker._torch("torch.mul(self, alpha)", NAMES, False)(), torch.tensor([3.0, -6.0]))


def test_the_same_expression_goes_through_torch_compile(monkeypatch):
    asked = []
    monkeypatch.setattr(torch, "compile", lambda function, **options: asked.append(options) or function)
    call = device_worker._torch("torch.mul(\n  self,\n  alpha)", NAMES, True)
    assert asked == [{"dynamic": False}], "compiled once, before it is called"
    assert torch.equal(call(), torch.tensor([3.0, -6.0]))


def test_a_function_of_vllm_s_is_called_as_the_entry_is(monkeypatch):
    seen = []
    module = types.ModuleType("vllm_of_tests")
    module.rms_norm = lambda *positional, **keyword: seen.append((positional, keyword))
    monkeypatch.setitem(sys.modules, "vllm_of_tests", module)
    device_worker._vllm("vllm_of_tests.rms_norm", [1, 2], {"epsilon": 3})()
    assert seen == [((1, 2), {"epsilon": 3})]


@pytest.mark.parametrize("path", ["vllm_of_nobody._custom_ops.rms_norm", "math.no_such_function"])
def test_a_function_that_is_not_there_is_named(path):
    with pytest.raises(RuntimeError, match=f"vLLM's {path} cannot be had here"):
        device_worker._vllm(path, [], {})


class Cuda:
    """Stands for torch.cuda, with what was asked of it in `steps`."""

    def __init__(self):
        self.steps = []

    def install(self, monkeypatch):
        steps = self.steps
        stream = types.SimpleNamespace(wait_stream=lambda other: None)
        event = types.SimpleNamespace(record=lambda stream: steps.append("event"), elapsed_time=lambda last: 0.25)
        graph = types.SimpleNamespace(raw_cuda_graph=lambda: 77)

        @contextlib.contextmanager
        def recording(graph, stream):
            steps.append("begin")
            yield
            steps.append("end")

        properties = types.SimpleNamespace(L2_cache_size=1 << 10)
        for name, value in {"Stream": lambda: stream, "current_stream": lambda: stream, "synchronize": lambda: None,
                            "stream": lambda stream: contextlib.nullcontext(), "graph": recording,
                            "CUDAGraph": lambda keep_graph: graph, "Event": lambda enable_timing: event,
                            "current_device": lambda: 0, "get_device_properties": lambda device: properties}.items():
            monkeypatch.setattr(torch.cuda, name, value)


def test_a_call_is_warmed_up_twice_and_recorded_once(monkeypatch):
    cuda = Cuda()
    cuda.install(monkeypatch)
    adopted = []
    monkeypatch.setattr(recorded._kgbench, "adopt_graph", lambda backend, graph: adopted.append((backend, graph)))
    monkeypatch.setattr(recorded._kgbench, "time_graph", lambda backend, n: [5.0] * n)
    made = recorded.RecordedCall(lambda: cuda.steps.append("call") or "result")
    assert cuda.steps == ["call", "call", "begin", "call", "end"] and made.result == "result"
    made.adopt("cuda")
    assert adopted == [("cuda", 77)]
    assert made.samples("cuda", 3) == [5.0] * 3


def test_what_cannot_be_recorded_is_called_between_events(monkeypatch):
    cuda = Cuda()
    cuda.install(monkeypatch)
    made = torch.zeros
    monkeypatch.setattr(torch, "zeros", lambda n, dtype, device: made(n, dtype=dtype))
    timed = recorded.EventTimed(lambda: cuda.steps.append("call"))
    assert timed._flushed.numel() * 4 == 4 << 10, "four times the L2 cache"
    cuda.steps.clear()
    assert timed.samples("cuda", 2) == [250_000.0] * 2
    assert cuda.steps == ["event", "call", "event"] * 2
