# SPDX-License-Identifier: Apache-2.0
"""Parts of the recorder on their own: addresses, classes of operators, signatures, streams, limits of values."""
import harness  # noqa: F401  (hides devices before torch comes)
import plan_check
import pytest
import torch
from kgbench.author import operators, phantom, streams, triton_driver
from kgbench.author.chips import Chip
from kgbench.author.dispatch import raw_bytes
from kgbench.author.generator import workload_seed
from kgbench.author.plan_writer import RecordedCall, recording_json


def test_addresses_are_aligned_and_never_given_twice():
    space = phantom.AddressSpace()
    buffers = [space.allocate(n, "alloc", 1, 0) for n in (0, 1, 511, 512, 1 << 40, 7)]
    bases = [b.base for b in buffers]
    assert all(b % phantom.ALIGNMENT == 0 for b in bases) and bases == sorted(set(bases))
    assert all(after.base - (b.base + b.bytes) >= phantom.GAP for b, after in zip(buffers, buffers[1:]))


def test_an_address_belongs_to_its_buffer_up_to_one_past_the_end():
    space = phantom.AddressSpace()
    first, second = space.allocate(100, "alloc", 1, 0), space.allocate(100, "alloc", 1, 0)
    assert space.find(first.base + 99) == (first, 99) and space.find(first.base + 100) == (first, 100)
    assert space.find(first.base + 101) is None and space.find(second.base) == (second, 0)
    assert space.find(first.base - 1) is None and space.find(second.base + 1 << 20) is None and space.find(0) is None


def test_more_than_the_address_space_holds_is_out_of_memory():
    with pytest.raises(torch.OutOfMemoryError):
        phantom.AddressSpace().allocate(1 << 60, "alloc", 1, 0)


@pytest.mark.parametrize("overload, kind", [
    (torch.ops.aten.empty_like.default, operators.ALLOCATE), (torch.ops.aten.new_full.default, operators.FILL),
    (torch.ops.aten.fill_.Tensor, operators.FILL_IN_PLACE), (torch.ops.aten._to_copy.default, operators.COPY),
    (torch.ops.aten.arange.start_step, operators.CONSTANT), (torch.ops.aten.view.dtype, operators.VIEW),
    (torch.ops.aten.split.Tensor, operators.VIEW), (torch.ops.aten.squeeze_.dim, operators.VIEW),
    (torch.ops.aten._unsafe_view.default, operators.VIEW), (torch.ops.aten.resize_.default, operators.RESIZE),
    (torch.ops.aten._local_scalar_dense.default, operators.READ), (torch.ops.aten.equal.default, operators.READ),
    (torch.ops.aten.bernoulli_.float, operators.RANDOM), (torch.ops.aten.native_dropout.default, operators.RANDOM),
    (torch.ops.aten.add.Tensor, operators.COMPUTE), (torch.ops.aten.add_.Tensor, operators.COMPUTE),
    (torch.ops.aten.cat.default, operators.COMPUTE), (torch.ops.aten.index.Tensor, operators.COMPUTE),
    (torch.ops.aten.nonzero.default, operators.COMPUTE), (torch.ops.aten.mm.out, operators.COMPUTE),
    (torch.ops.aten.expand_copy.default, operators.COMPUTE), (torch.ops.prims.add.default, operators.COMPUTE),
    (torch.ops.aten.matmul.default, operators.COMPOSITE), (torch.ops.aten.reshape.default, operators.COMPOSITE),
])
def test_operators_fall_into_their_class(overload, kind):
    assert operators.classify(overload) == kind


def test_every_operator_of_torch_has_a_class():
    """What is unknown computes: nothing is let through for want of a rule."""
    seen = set()
    for name in torch._C._dispatch_get_all_op_names():
        if name.startswith("aten::"):
            packet = getattr(torch.ops.aten, name[6:].partition(".")[0])
            seen.add(operators.classify(getattr(packet, name.partition(".")[2] or "default")))
    assert seen == set(operators.CLASSES) - {operators.CUSTOM}


def test_forbidden_names_include_what_torch_turns_them_into():
    assert "aten::clone" in operators.forbidden_names(["aten::contiguous"])
    assert operators.forbidden_names([]) == frozenset()


def test_signatures_lose_constexprs_and_nesting():
    flat = triton_driver.flat_signature({"p": ("*fp32", ("i32", "constexpr")), "B": "constexpr", "n": "i64"})
    assert flat == [("p.0", "*fp32", (0, 0)), ("p.1.0", "i32", (0, 1, 0)), ("n", "i64", (2,))]


@pytest.mark.parametrize("kind, value, error", [
    ("i32", 2**31, OverflowError), ("i8", 200, OverflowError), ("u32", -1, OverflowError), ("i32", 1.5, TypeError),
    ("*fp32", 3, ValueError), ("*fp32", "text", TypeError), ("fp32", None, TypeError),
])
def test_arguments_that_triton_would_refuse(kind, value, error):
    class Empty:
        def pointer(self, address):
            return None

    with pytest.raises(error):
        triton_driver.convert(Empty(), value, kind, 0)


def test_streams_know_what_they_waited_for_through_others():
    registry = streams.Streams()
    first, second = registry.new(), registry.new()
    registry.set(first)
    one = registry.place("one")
    second.wait_stream(first)
    registry.default.wait_event(second.record_event())
    registry.set(registry.default)
    two, three = registry.place("two"), registry.place("three")
    assert (one.stream, one.after) == (1, []) and (two.stream, two.after) == (0, [one]) and three.after == []
    assert registry.end_call() == [one, three]


def test_a_wait_of_the_host_orders_every_stream_and_the_next_call_begins_afresh():
    registry = streams.Streams()
    with registry.new() as side:
        one = registry.place("one")
    unordered = registry.place("two")
    side.query()
    with registry.new():
        three = registry.place("three")
    four = registry.place("four")
    assert unordered.after == [] and three.after == [one] and four.after == [one]
    assert set(registry.end_call()) == {one, four}
    with side:
        assert registry.place("five").after == []


def test_workloads_draw_from_seeds_of_their_own():
    seeds = {workload_seed(seed, name) for seed in (0, 1, 2**64 - 1) for name in ("s1", "s2", "h1")}
    assert len(seeds) == 9 and all(0 <= seed < 2**63 for seed in seeds)


@pytest.mark.parametrize("given, capability", [
    ({}, (9, 0)), ({"capability": "8.6"}, (8, 6)), ({"arch": "100"}, (10, 0)), ({"capability": [8, 0]}, (8, 0)),
])
def test_capability_of_a_chip_card(given, capability):
    assert Chip(given).capability == capability


def test_an_empty_recording_is_a_recording():
    import json
    made = json.loads(recording_json("h200", [], [RecordedCall([], [], "none", [])] * 3))
    plan_check.check(made, [{"args": []}] * 3)


def test_the_bytes_of_one_element_do_not_depend_on_its_stride():
    element = torch.arange(6)[::2][1:2]
    assert element.stride() == (2,) and raw_bytes(element) == raw_bytes(torch.tensor([2]))
