# SPDX-License-Identifier: Apache-2.0
"""The oracle's worker over its channel, with references in a temporary folder."""
import math
import socket
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from kgbench import frame

REFERENCE = textwrap.dedent("""
    import torch
    from kgbench.oracle import Expected, round_to

    def add(self, other, *, alpha=1):
        assert self.dtype == torch.float64
        return Expected(self + alpha * other, magnitude=abs(self) + abs(alpha * other))

    def add_(self, other, *, alpha=1):
        return {"self": self + alpha * other}

    def softmax(self, dim, dtype=None):
        return torch.softmax(self, dim)

    def sort(self, dim=-1, descending=False):
        values, indices = torch.sort(self, dim, descending)
        return values, Expected(indices, rule="ties")

    def halves(self, *, dtypes):
        assert dtypes == {"self": torch.bfloat16}
        return round_to(self / 2, dtypes["self"])

    def integer(self):
        assert self.dtype == torch.int32
        return self * 2

    def wrong_shape(self):
        return self.reshape(-1)

    def fails(self):
        raise RuntimeError("no")
""")


def spec(dtype, shape, mutated=False, domain=("normal", 0, 1), strides=None, storage=None):
    dense, step = [], 1
    for extent in reversed(shape):
        dense.insert(0, step)
        step *= extent
    return {"dtype": dtype, "shape": list(shape), "strides": strides or dense, "offset": 0,
            "storage": step if storage is None else storage, "domain": list(domain), "mutated": mutated, "host": False}


class Oracle:
    def __init__(self, folder):
        self.reference = folder / "reference.py"
        self.reference.write_text(REFERENCE)
        self.socket, other = socket.socketpair()
        self.process = subprocess.Popen([sys.executable, "-m", "kgbench.oracle.worker", str(other.fileno())],
                                        pass_fds=[other.fileno()])
        other.close()
        self.number = 0

    def ask(self, entry, args, baseline, run="expect", **more):
        self.number += 1
        call = {"op": "aten::x", "entry": entry, "workload": "s1", "args": args}
        frame.write(self.socket.fileno(), {"id": self.number, "run": run, "op": "aten::x", "reference": str(self.reference),
                                           "call": call, "baseline": baseline, "seed": "2a", "trial": 0, "number": 0, **more})
        reply, blob = frame.read(self.socket.fileno())
        assert reply["id"] == self.number
        return reply, blob

    def close(self):
        self.socket.close()
        assert self.process.wait(60) == 0


@pytest.fixture(scope="module")
def oracle(tmp_path_factory):
    oracle = Oracle(tmp_path_factory.mktemp("reference"))
    yield oracle
    oracle.close()


def value(blob, place):
    kinds = {"f64": np.float64, "i64": np.int64, "b8": np.bool_, "c128": np.complex128}
    offset, size, kind = place
    assert offset % 64 == 0
    return np.frombuffer(blob[offset:offset + size], kinds[kind])


ADD = [{"name": "self", "tensor": spec("f16", [3, 5])}, {"name": "other", "tensor": spec("f16", [5])},
       {"name": "alpha", "float": 0.5, "keyword": True}]


def test_values_are_fp64_of_the_very_bytes_that_kernels_get(oracle):
    from kgbench import _kgbench
    import json
    reply, blob = oracle.ask("add", ADD, "torch.add(self, other, alpha=alpha)")
    assert reply["ok"], reply
    [out] = reply["outputs"]
    assert (out["path"], out["dtype"], out["shape"], out["strides"]) == ("return", "f16", [3, 5], [5, 1])
    made = {a["name"]: np.frombuffer(_kgbench.generate(json.dumps(a["tensor"]), a["name"], 0x2A, 0, 0), np.float16)
            for a in ADD[:2]}
    a, b = made["self"].astype(np.float64).reshape(3, 5), made["other"].astype(np.float64)
    assert np.array_equal(value(blob, out["value"]), (a + 0.5 * b).reshape(-1))
    offset, size = out["magnitude"]
    assert np.array_equal(np.frombuffer(blob[offset:offset + size]), (abs(a) + abs(0.5 * b)).reshape(-1))


def test_value_sets_differ_and_repeat(oracle):
    first = oracle.ask("add", ADD, "torch.add(self, other, alpha=alpha)")[1]
    assert oracle.ask("add", ADD, "torch.add(self, other, alpha=alpha)")[1] == first
    for other in ({"trial": 1}, {"number": 1}, {"seed": "2b"}):
        assert oracle.ask("add", ADD, "torch.add(self, other, alpha=alpha)", **other)[1] != first


def test_a_mutated_argument_is_an_output_and_its_alias_is_none(oracle):
    args = [{"name": "self", "tensor": spec("f32", [4], mutated=True)}, {"name": "other", "tensor": spec("f32", [4])},
            {"name": "alpha", "int": 2, "keyword": True}]
    reply, _ = oracle.ask("add_", args, "torch.ops.aten.add_.Tensor(self, other, alpha=alpha)")
    assert [o["path"] for o in reply["outputs"]] == ["self"]
    assert reply["structure"] == "tensor"


def test_the_contract_comes_from_the_baseline(oracle):
    args = [{"name": "self", "tensor": spec("f16", [3, 5])}, {"name": "dim", "int": -1},
            {"name": "dtype", "dtype": "f32", "keyword": True}]
    reply, blob = oracle.ask("softmax", args, "torch.softmax(self, dim, dtype=dtype)", run="contract")
    assert blob == b""
    assert reply["outputs"][0]["dtype"] == "f32" and reply["outputs"][0]["value"] is None
    transposed = [{"name": "self", "tensor": spec("f32", [3, 5], strides=[1, 3])}]
    reply, _ = oracle.ask("integer", transposed, "torch.relu(self)", run="contract")
    assert reply["outputs"][0]["strides"] == [1, 3]


def test_index_outputs_bring_the_values_that_they_address(oracle):
    args = [{"name": "self", "tensor": spec("f32", [2, 4], domain=("ties", 2))}, {"name": "dim", "int": 1},
            {"name": "descending", "bool": False}]
    reply, blob = oracle.ask("sort", args, "torch.sort(self, dim, descending)")
    values, indices = reply["outputs"]
    assert reply["structure"] == "tuple[2]" and indices["dtype"] == "i64" and indices["rule"] == "ties"
    offset, size, shape = indices["source"]
    source = np.frombuffer(blob[offset:offset + size]).reshape(shape)
    picked = np.take_along_axis(source, value(blob, indices["value"]).reshape(2, 4), indices["dim"])
    assert np.array_equal(picked.reshape(-1), value(blob, values["value"]))


def test_references_learn_the_real_dtypes(oracle):
    reply, blob = oracle.ask("halves", [{"name": "self", "tensor": spec("bf16", [64])}], "self / 2")
    assert reply["ok"], reply
    got = value(blob, reply["outputs"][0]["value"])
    assert np.array_equal(got.astype(np.float32).view(np.uint32) & 0xFFFF, np.zeros(64, np.uint32))


def test_integers_arrive_as_they_are(oracle):
    args = [{"name": "self", "tensor": spec("i32", [8], domain=("integers", -9, 9))}]
    reply, blob = oracle.ask("integer", args, "self * 2")
    assert reply["outputs"][0]["value"][2] == "i64"
    assert np.all(value(blob, reply["outputs"][0]["value"]) % 2 == 0)


def test_empty_tensors_have_empty_values(oracle):
    reply, _ = oracle.ask("softmax", [{"name": "self", "tensor": spec("f32", [0, 5])}, {"name": "dim", "int": 1},
                                      {"name": "dtype", "none": True, "keyword": True}], "torch.softmax(self, dim, dtype=dtype)")
    assert reply["ok"] and reply["outputs"][0]["value"][1] == 0


def test_a_call_that_must_raise_says_so(oracle):
    reply, _ = oracle.ask("fails", [{"name": "self", "tensor": spec("f32", [2, 3])}], "torch.mm(self, self)")
    assert reply["ok"] and "RuntimeError" in reply["raises"]


@pytest.mark.parametrize("entry, baseline, words", [
    ("fails", "torch.relu(self)", "RuntimeError: no"),
    ("missing", "torch.relu(self)", "defines no function 'missing'"),
    ("wrong_shape", "torch.relu(self)", "the contract says [2, 3]"),
])
def test_a_fault_of_the_reference_is_the_judges(oracle, entry, baseline, words):
    reply, _ = oracle.ask(entry, [{"name": "self", "tensor": spec("f32", [2, 3])}], baseline)
    assert not reply["ok"]
    assert reply["error"]["kind"] == "infra" and words in reply["error"]["message"]
    assert oracle.ask("integer", [{"name": "self", "tensor": spec("i32", [2])}], "self * 2")[0]["ok"]


def test_rounding_is_done_once():
    import torch
    from kgbench.oracle import round_to
    x = torch.tensor([1 + 2.0**-11, 1 + 2.0**-11 + 2.0**-40, 65519.0, 65520.0, -2.0**-25, math.inf], dtype=torch.float64)
    assert round_to(x, torch.float16).tolist() == [1, 1 + 2.0**-10, 65504, math.inf, -0.0, math.inf]
    every = torch.arange(65536, dtype=torch.int32).to(torch.uint16).view(torch.float16).to(torch.float64)
    rounded = round_to(every, "f16")
    assert torch.equal(torch.nan_to_num(rounded, 7), torch.nan_to_num(every, 7))
    assert math.isnan(round_to(torch.tensor(465.0), "f8e4m3").item())
    assert round_to(torch.tensor(464.0), "f8e4m3").item() == 448  # a tie, to even
    sample = torch.linspace(-3, 3, 10001, dtype=torch.float64)
    for dtype in (torch.bfloat16, torch.float32):
        assert torch.equal(round_to(sample.to(torch.float32).to(torch.float64), dtype),
                           sample.to(torch.float32).to(dtype).to(torch.float64))
