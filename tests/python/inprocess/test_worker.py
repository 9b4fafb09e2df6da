# SPDX-License-Identifier: Apache-2.0
"""The process of a candidate in in-process mode, over its channel. A stand-in names itself as the driver here, so that
tensors of the host take the device's place and Triton's interpreter runs kernels."""
import os
import socket
import subprocess
import sys

import numpy as np
import pytest
from kgbench import frame
from kgbench.inprocess import device as devices

CANDIDATE = """
import threading
import time

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 2 * tl.load(x + at, mask=at < n), mask=at < n)


def double(self):
    out = torch.empty_like(self)
    double_kernel[(triton.cdiv(self.numel(), 64),)](self, out, self.numel(), BLOCK=64)
    return out


def made(self):
    # As Inductor does: the text of a kernel goes to a file of its own in the workspace.
    import importlib.util
    import pathlib
    text = pathlib.Path(__file__).read_text().split("def double(")[0].replace("double_kernel", "triton_poi_fused_mul_0")
    pathlib.Path("made.py").write_text(text)
    spec = importlib.util.spec_from_file_location("made", pathlib.Path("made.py").resolve())
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kept_modules.append(module)
    out = torch.empty_like(self)
    module.triton_poi_fused_mul_0[(triton.cdiv(self.numel(), 64),)](self, out, self.numel(), BLOCK=64)
    return out


kept_modules = []


def through_torch(self):
    return self * 2


def double_(self):
    double_kernel[(1,)](self, self, self.numel(), BLOCK=64)
    return self


kept = []


def same_place(self):
    if not kept:
        kept.append(torch.empty_like(self))
    kept[0].copy_(self)
    return kept[0]


def spoils(self):
    self.add_(1)
    return torch.empty_like(self), 3


def patches(self):
    torch.equal = lambda a, b: True
    return self.clone()


def leaves_a_thread(self):
    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
    return self.clone()


pools = []


def compiles(self):
    from torch._inductor.compile_worker.subproc_pool import SubprocPool
    pools.append(SubprocPool(1))
    return self.clone()


def fails(self):
    raise ValueError("not for this shape")
"""
ENTRIES = ["double", "made", "through_torch", "double_", "same_place", "spoils", "patches", "leaves_a_thread", "compiles", "fails"]


class Process:
    """The worker with one candidate."""

    def __init__(self, folder, source, entries):
        (folder / "candidate.py").write_text(source)
        self._ours, theirs = socket.socketpair()
        environment = {**os.environ, "KGBENCH_CUDA_LIBRARY": "stand-in", "CUDA_VISIBLE_DEVICES": "", "KGVM": "0"}
        self._process = subprocess.Popen([sys.executable, "-m", "kgbench.inprocess.worker", str(theirs.fileno())], cwd=folder,
                                         env=environment, pass_fds=[theirs.fileno()])
        theirs.close()
        assert self.ask("open", backend="cuda")[0] == {"ok": True}
        self.loaded = self.ask("load", file="candidate.py", entries=entries)[0]

    def ask(self, run, blob=b"", **more):
        frame.write(self._ours.fileno(), {"id": 7, "run": run, **more}, blob)
        header, blob = frame.read(self._ours.fileno())
        assert header.pop("id") == 7
        return header, blob

    def call(self, entry, values, mutated=False):
        """One call with one f32 vector: (reply, blob)."""
        spec = {"dtype": "f32", "shape": [len(values)], "strides": [1], "offset": 0, "storage": len(values), "mutated": mutated}
        call = {"op": "x::y", "entry": entry, "workload": "s0", "args": [{"name": "self", "tensor": spec}]}
        begun, _ = self.ask("begin", call=call, target="h200")
        assert begun == {"ok": True}, begun
        return self.ask("call", values.tobytes(), poison=255, spoil=0)

    def end(self):
        self._ours.close()
        assert self._process.wait(20) == 0


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    process = Process(tmp_path_factory.mktemp("candidate"), CANDIDATE, ENTRIES)
    assert process.loaded == {"ok": True}, process.loaded
    yield process
    process.end()


VALUES = np.linspace(-3, 3, 100, dtype=np.float32)


def test_a_kernel_of_the_candidate_s_own_is_told_with_its_file(process):
    reply, blob = process.call("double", VALUES)
    assert reply["ok"], reply
    assert np.array_equal(np.frombuffer(blob, np.float32), 2 * VALUES)
    assert [(row["name"], row["file"], row["count"]) for row in reply["census"]] == [("double_kernel", "candidate.py", 1)]
    assert reply["changed"] == reply["late"] == reply["findings"] == [] and not reply["overlap"]


def test_a_kernel_from_a_file_written_on_the_way_is_not_the_candidate_s(process):
    reply, blob = process.call("made", VALUES)
    assert reply["ok"], reply
    assert np.array_equal(np.frombuffer(blob, np.float32), 2 * VALUES)
    assert [(row["name"], row["file"]) for row in reply["census"]] == [("triton_poi_fused_mul_0", None)]


def test_the_returned_object_is_told_as_a_plan_tells_it(process):
    recording = process.call("double", VALUES)[0]["recording"]
    assert recording["buffers"] == [{"kind": "input", "bytes": 400, "call": 0, "arg": "self"},
                                    {"kind": "alloc", "bytes": 400, "call": 0}]
    assert recording["calls"][0]["structure"] == "tensor"
    assert recording["calls"][0]["outputs"][0]["tensor"]["at"] == [1, 0]


def test_an_operator_of_torch_stands_in_the_census(process):
    reply, blob = process.call("through_torch", VALUES)
    assert np.array_equal(np.frombuffer(blob, np.float32), 2 * VALUES)
    assert "aten::mul" in [row["name"] for row in reply["census"]]


def test_an_argument_that_may_be_written_is_an_output(process):
    reply, blob = process.call("double_", VALUES, mutated=True)
    assert [row["path"] for row in reply["outputs"]] == ["return", "self"]
    assert np.array_equal(np.frombuffer(blob[400:], np.float32)[:64], 2 * VALUES[:64])
    assert reply["recording"]["calls"][0]["outputs"][0]["tensor"]["at"] == [0, 0]
    assert reply["changed"] == []


def test_memory_that_was_returned_before_is_seen(process):
    assert not process.call("same_place", VALUES)[0]["overlap"]
    assert process.ask("call", VALUES.tobytes(), poison=255, spoil=0)[0]["overlap"]


def test_a_written_input_and_a_wrong_structure_are_told(process):
    reply, _ = process.call("spoils", VALUES)
    assert reply["changed"] == ["self"]
    assert reply["recording"]["calls"][0]["structure"] == "tuple[2]"
    assert reply["recording"]["calls"][0]["outputs"][1]["scalar"] == 3


def test_an_exception_has_its_place(process):
    reply, _ = process.call("fails", VALUES)
    error = reply["error"]
    assert (error["kind"], error["file"]) == ("host_exception", "candidate.py")
    assert CANDIDATE.splitlines()[error["line"] - 1].strip() == 'raise ValueError("not for this shape")'


def test_what_cannot_be_recorded_says_why(process):
    process.call("double", VALUES)
    reply, _ = process.ask("record")
    assert reply == {"ok": True, "recorded": False, "why": "tensors of the host are not recorded as a graph"}


def test_a_thread_that_goes_on_is_found(process):
    assert [f["kind"] for f in process.call("leaves_a_thread", VALUES)[0]["findings"]] == ["race"]


def test_the_thread_of_a_compiling_pool_is_inductor_s(process):
    assert process.call("compiles", VALUES)[0]["findings"] == []


def test_a_replaced_function_is_found_last_since_it_stays(process):
    found = process.call("patches", VALUES)[0]["findings"]
    assert [(f["kind"], f["message"]) for f in found] == [("judge_patched", "replaced equal")]


@pytest.mark.parametrize("source, kind", [
    ("def double(self:\n", "syntax_error"), ("x = 1\n", "missing_entry"), ("raise ValueError('no')\n", "import_error"),
    ("import vllm\n", "import_refused")])
def test_a_file_that_cannot_be_used_has_its_kind(tmp_path, source, kind):
    process = Process(tmp_path, source, ["double"])
    assert process.loaded["error"]["kind"] == kind
    process.end()


def test_entries_that_are_missing_are_named_to_the_judge(tmp_path):
    process = Process(tmp_path, "x = 1\n", ["double", "twice"])
    assert process.loaded["error"]["details"] == {"entries": "double; twice"}
    process.end()


OWN, CALLER, OTHER = 1, 2, 3


def test_the_census_sums_by_name_and_leaves_the_judge_s_own_work_out():
    rows, late = devices.census([(0, "k", CALLER, 0, 10), (1, "", CALLER, 10, 12), (0, "k", CALLER, 12, 42),
                                 (0, "mark", OWN, 50, 51), (2, "", OWN, 52, 60)], OWN)
    assert rows == [{"kind": "kernel", "name": "k", "count": 2, "ns": 40},
                    {"kind": "copy to the device", "name": "", "count": 1, "ns": 2}]
    assert late == []


def test_work_that_nobody_waited_for_is_late_and_so_is_work_that_began_after_the_return():
    _, late = devices.census([(0, "slow", OTHER, 0, 100), (0, "mark", OWN, 50, 51), (100, "", OTHER, 500, 510)], OWN)
    assert late == ["memset", "slow"]
