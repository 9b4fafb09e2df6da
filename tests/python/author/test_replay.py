# SPDX-License-Identifier: Apache-2.0
"""Recordings compute what their host codes mean: each is replayed on the virtual machine and compared with torch."""
import base64

import pytest
import test_host_codes
import torch
from plan_check import SIZES

_kgbench = pytest.importorskip("kgbench._kgbench", reason="the extension is not built")
if not hasattr(_kgbench, "vm_run"):
    pytest.skip("the extension has no virtual machine", allow_module_level=True)

DTYPES = {"b8": torch.bool, "u8": torch.uint8, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
          "i64": torch.int64, "f8e4m3": torch.float8_e4m3fn, "f16": torch.float16, "bf16": torch.bfloat16,
          "f32": torch.float32, "f64": torch.float64, "c64": torch.complex64, "c128": torch.complex128}
POISON = 0x7B


class Replay:
    """A trial in miniature: buffers in host memory, nodes run in order."""

    def __init__(self, recording, inputs):
        self._recording = recording
        self._buffers = [torch.full((b["bytes"] + 8,), POISON, dtype=torch.uint8) for b in recording["buffers"]]
        for index, buffer in enumerate(recording["buffers"]):
            if (values := inputs.get((buffer["call"], buffer.get("arg")))) is not None:
                self._buffers[index][:buffer["bytes"]] = values.view(torch.uint8)
        for index, buffer in enumerate(recording["buffers"]):
            if buffer["kind"] == "input" and (buffer["call"], f"{buffer['arg']}[0]") in inputs:
                self._write_addresses(index, buffer)

    def _write_addresses(self, index, array):
        items = {b["arg"]: i for i, b in enumerate(self._recording["buffers"])
                 if b["kind"] == "input" and b["call"] == array["call"]}
        addresses = [self._buffers[items[f"{array['arg']}[{i}]"]].data_ptr() for i in range(array["bytes"] // 8)]
        self._buffers[index][:array["bytes"]] = torch.tensor(addresses).view(torch.uint8)

    def view(self, view):
        dtype = DTYPES[view["dtype"]]
        storage = self._buffers[view["at"][0]].untyped_storage()
        offset = view["at"][1] // dtype.itemsize
        result = torch.empty(0, dtype=dtype).set_(storage, offset, view["shape"], view["strides"])
        return result.conj() if view["conj"] else result

    def _address(self, reference):
        return self._buffers[reference[0]].data_ptr() + reference[1] if reference[0] >= 0 else 0

    def _launch(self, node):
        kernel = self._recording["kernels"][node["kernel"]]
        args = []
        for arg, word in zip(node["args"], kernel["signature"]):
            (key, value), = arg.items()
            if key == "ptr":
                value = ("ptr", *value) if word.startswith("*") else self._address(value)
            args.append(float(value) if key == "float" else value)
        regions = [(str(i), self._buffers[i].data_ptr(), b["bytes"], True)
                   for i, b in enumerate(self._recording["buffers"])]
        result = _kgbench.vm_run(kernel["ttir"], tuple(node["grid"]), args, regions)
        assert not result["findings"], result["findings"]

    def _upload(self, node):
        data = bytearray(base64.b64decode(node["bytes"]))
        for at, target in node["relocations"]:
            data[at:at + 8] = self._address(target).to_bytes(8, "little")
        index, offset = node["dst"]
        self._buffers[index][offset:offset + len(data)] = torch.frombuffer(data, dtype=torch.uint8)

    def _constant(self, node):
        target = self.view(node["dst"])
        assert node["kind"] == "arange"
        start, step = node["params"]
        target.copy_(torch.arange(target.numel(), dtype=torch.float64) * step + start)

    def _fill(self, node):
        target = self.view(node["dst"])
        target.copy_(torch.frombuffer(bytearray(base64.b64decode(node["value"])), dtype=target.dtype)[0])

    def _copy(self, node):
        self.view(node["dst"]).copy_(self.view(node["src"]))

    def run(self):
        """Outputs of each call, copied when the call ends."""
        steps = {"launch": self._launch, "upload": self._upload, "constant": self._constant, "fill": self._fill,
                 "copy": self._copy}
        outputs = []
        for call in self._recording["calls"]:
            for node in call["nodes"]:
                steps[node["node"]](node)
            outputs.append([self.view(leaf["tensor"]).clone() if "tensor" in leaf else leaf["scalar"]
                            for leaf in call["outputs"]])
        return outputs


def make_inputs(asked):
    """({(call, path): storage}, [{path: tensor} for each call]): three sets of values."""
    storages, tensors = {}, [{}, {}, {}]
    for arg in asked["args"]:
        named = {arg["name"]: arg["tensor"]} if "tensor" in arg else {}
        for kind in ("tensors", "pointers"):
            named.update({f"{arg['name']}[{i}]": spec for i, spec in enumerate(arg.get(kind, ()))})
        for call in range(3):
            for path, spec in named.items():
                random = torch.Generator().manual_seed(sum(path.encode()) + 1000 * call)
                values = torch.randn(spec["storage"] * SIZES[spec["dtype"]], generator=random)
                values = (values[:spec["storage"]] * 2).to(DTYPES[spec["dtype"]]) if spec["dtype"] != "c64" \
                    else torch.view_as_complex(values[:2 * spec["storage"]].view(-1, 2))
                storages[call, path] = values
                tensors[call][path] = torch.as_strided(values, spec["shape"], spec["strides"], spec["offset"]).clone()
    return storages, tensors


def reversed_sum(v):
    n = v["x"].numel()
    acc = torch.zeros(n)
    acc[: n // 2], acc[n - 1] = 1.5, 0
    acc += v["x"].float().flip(0)
    return [acc.half(), torch.full((n,), float("inf")), acc]


# What each host code means; random numbers have a test of their own.
MEANING = {
    "add_lambda_grid": lambda v: [v["self"] + 2.5 * v["other"]],
    "softmax_rows": lambda v: [torch.softmax(v["self"].float(), 0)],
    "add_inplace": lambda v: [v["self"] + v["other"]],
    "out_parameter": lambda v: [v["x"].relu()],
    "global_workspace": lambda v: [v["x"].sum()],
    "module_level_table": lambda v: [v["x"] * torch.tensor([1.0, 2.0, 4.0, 8.0]).repeat(8)[:30]],
    "autotuned": lambda v: [v["x"]],
    "autotune_reset": lambda v: [v["x"].sum()],
    "autotune_restore": lambda v: [v["x"] * 2],
    "heuristics": lambda v: [-v["x"]],
    "nn_module": lambda v: [v["x"] * 2],
    "cached_by_shape": lambda v: [v["x"] ** 2],
    "autograd_function": lambda v: [v["x"].exp()],
    "inference_mode": lambda v: [v["x"].t()],
    "complex_as_real": lambda v: [v["x"].conj()],
    "bool_bytes": lambda v: [~v["x"]],
    "tuple_arguments": lambda v: [v["x"]],
    "pointer_array": lambda v: [v[f"A[{i}]"] * 2 for i in range(3)],
    "raw_pointers": lambda v: [v["x"][3:]],
    "device_questions": lambda v: [torch.full((264 * 64,), 3.0)],  # its grid is smaller than the tensor
    "side_stream": lambda v: [v["x"] + 1],
    "casts_and_fills": reversed_sum,
    "host_descriptor": lambda v: [v["x"]],
    "list_of_tensors": lambda v: [torch.cat([v["tensors[0]"], v["tensors[2]"]]), 13],
    "fp8_and_half": lambda v: [(v["x"].float() / 2).to(torch.float8_e4m3fn), torch.tensor([2.0])],
    "print_and_copy": lambda v: [v["x"] * 0.5],
    "custom_operator": lambda v: [v["x"] * 3],
    "worker_thread": lambda v: [v["x"] - 1],
    "self_benchmark": lambda v: [v["x"]],
    "expanded_views": lambda v: [v["x"] + v["y"]] * 2,
    "warmup_occupancy": lambda v: [v["x"].softmax(-1)],
}


@pytest.mark.parametrize("name", MEANING)
def test_replaying_a_recording_gives_what_the_host_code_means(name):
    asked, _ = test_host_codes.CASES[name]
    storages, tensors = make_inputs(asked)
    outputs = Replay(test_host_codes.recording(name), storages).run()
    for call in range(3):
        for found, wanted in zip(outputs[call], MEANING[name](tensors[call]), strict=True):
            if isinstance(wanted, int):
                assert found == wanted
            else:
                found = found[:wanted.numel()] if name == "device_questions" else found
                compare = torch.complex64 if wanted.is_complex() else torch.float32
                torch.testing.assert_close(found.to(compare), wanted.to(compare), rtol=1e-5, atol=1e-5)


def test_random_numbers_differ_between_the_calls_of_a_trial():
    asked, _ = test_host_codes.CASES["generator_seed"]
    storages, _ = make_inputs(asked)
    first, second, third = (outputs[0] for outputs in
                            Replay(test_host_codes.recording("generator_seed"), storages).run())
    assert all(0 <= v < 1 for v in first) and not torch.equal(first, second) and not torch.equal(second, third)
