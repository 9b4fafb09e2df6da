# SPDX-License-Identifier: Apache-2.0
"""Arguments from the judge's bytes, and back."""
import pytest
import torch
from kgbench.inprocess.memory import Memory, Returned, bytes_of
from kgbench.oracle.dtypes import TORCH


def call(*arguments):
    return {"op": "x::y", "entry": "y", "workload": "s0", "args": list(arguments)}


def tensor(name, dtype, shape, strides=None, offset=0, storage=None, **more):
    dense, step = [], 1
    for extent in reversed(shape):
        dense.insert(0, step)
        step *= extent
    return {"name": name, "tensor": {"dtype": dtype, "shape": shape, "strides": strides or dense, "offset": offset,
                                     "storage": step if storage is None else storage, **more}}


@pytest.mark.parametrize("dtype", sorted(TORCH))
def test_bytes_of_every_dtype_go_in_and_come_out(dtype):
    memory = Memory(call(tensor("self", dtype, [3])), "cpu")
    blob = bytes(i % 2 for i in range(3 * TORCH[dtype].itemsize))
    memory.fill(blob)
    assert memory.positional[0].dtype == TORCH[dtype]
    assert bytes_of(memory.positional[0]) == blob


@pytest.mark.parametrize("shape, strides", [([1], [2]), ([], []), ([1, 1], [7, 3]), ([1, 3], [9, 1])])
def test_a_dimension_of_one_may_have_any_stride(shape, strides):
    values = torch.arange(40, dtype=torch.int64)[4:].as_strided(shape, strides)
    assert bytes_of(values) == bytes_of(values.clone(memory_format=torch.contiguous_format))


def test_layouts_are_those_of_the_call_and_outputs_come_densely():
    memory = Memory(call(tensor("self", "u8", [2, 3], [1, 2], 1, 8)), "cpu")
    memory.fill(bytes(range(8)))
    assert memory.positional[0].stride() == (1, 2) and memory.positional[0].storage_offset() == 1
    assert bytes_of(memory.positional[0]) == bytes([1, 3, 5, 2, 4, 6])


def test_empty_tensors_and_several_arguments_take_their_part_of_the_bytes():
    memory = Memory(call(tensor("a", "f32", [0, 4]), tensor("b", "u8", [2]), {"name": "n", "int": 3},
                         {**tensor("c", "u8", [1]), "keyword": True}), "cpu")
    memory.fill(b"\x05\x06\x07")
    assert memory.positional[0].shape == (0, 4) and memory.positional[2] == 3
    assert bytes_of(memory.positional[1]) == b"\x05\x06" and bytes_of(memory.keyword["c"]) == b"\x07"
    with pytest.raises(ValueError, match="4 bytes of values came for 3 bytes"):
        memory.fill(b"1234")


def test_a_pointer_array_holds_the_addresses_of_its_items():
    items = [tensor("A", "f32", [2])["tensor"], tensor("A", "f32", [4])["tensor"]]
    memory = Memory(call({"name": "A", "pointers": items}), "cpu")
    assert memory.positional[0].tolist() == [memory.tensors["A[0]"].data_ptr(), memory.tensors["A[1]"].data_ptr()]
    assert memory.sizes() == {"A[0]": 8, "A[1]": 16, "A": 16}


def test_poison_spares_what_lies_in_an_argument():
    memory = Memory(call(tensor("self", "u8", [4], mutated=True)), "cpu")
    memory.fill(b"\x01\x02\x03\x04")
    outputs = {"return[0]": memory.positional[0][1:3], "return[1]": torch.zeros(8, dtype=torch.uint8)[::2]}
    memory.poison(outputs, 0x7B)
    assert bytes_of(memory.positional[0]) == b"\x01\x02\x03\x04"
    assert set(bytes_of(outputs["return[1]"])) == {0x7B}


class Odd(torch.Tensor):
    pass


@pytest.mark.parametrize("value, structure, leaves", [
    (None, "none", []), (3, "int", [("return", "int", 3)]), (float("inf"), "float", [("return", "float", "inf")]),
    ((1, None), "tuple[2]", [("return[0]", "int", 1), ("return[1]", "NoneType", None)]),
    (1 + 2j, "complex", [("return", "complex", [1.0, 2.0])])])
def test_what_is_no_tensor_is_told_as_a_plan_tells_it(value, structure, leaves):
    recording = Returned(value, Memory(call(), "cpu"), "h200").recording
    told = recording["calls"][0]
    assert told["structure"] == structure
    assert [(leaf["path"], leaf["type"], leaf["scalar"]) for leaf in told["outputs"]] == leaves


def test_a_subclass_and_a_tensor_with_attributes_are_odd():
    plain, named = torch.zeros(1), torch.zeros(1)
    named.secret = 1
    returned = Returned([plain, named, torch.zeros(1).as_subclass(Odd)], Memory(call(), "cpu"), "h200")
    assert [leaf["odd"] for leaf in returned.recording["calls"][0]["outputs"]] == [False, True, True]
