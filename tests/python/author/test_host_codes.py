# SPDX-License-Identifier: Apache-2.0
"""Unmodified host codes in many styles: what each one's recording must hold."""
import base64

import plan_check
import pytest
from harness import HOST_CODES, call, run, tensor
from kgbench.author.generator import workload_seed


def f32(*shape, **more):
    return tensor("f32", *shape, **more)


# name: (call, nodes of each of the three calls). A node is the kernel's name, or its kind for the others.
CASES = {
    "add_lambda_grid": (call("add", ("self", f32(4, 700)), ("other", f32(4, 700)), alpha=("float", 2.5)),
                        [["add_kernel"]] * 3),
    "softmax_rows": (call("softmax", ("self", tensor("f16", 4, 100, strides=[1, 4])), ("dim", ("int", 0)),
                          ("dtype", ("dtype", "f32"))), [["softmax_kernel"]] * 3),
    "add_inplace": (call("add_", ("self", f32(33, mutated=True)), ("other", f32(33))), [["_add_"]] * 3),
    "out_parameter": (call("relu", ("x", f32(8))), [["relu_kernel"]] * 3),
    "global_workspace": (call("total", ("x", f32(3000))), [["partial_sum", "final_sum"]] * 3),
    "module_level_table": (call("scale", ("x", f32(30))),
                           [["upload", "fill", "scale_kernel"], ["scale_kernel"], ["scale_kernel"]]),
    "autotuned": (call("copy", ("x", f32(1000))), [["copy_kernel"]] * 3),
    "autotune_reset": (call("total", ("x", f32(1000))),
                       [["fill", "fill", "atomic_sum"], ["fill", "atomic_sum"], ["fill", "atomic_sum"]]),
    "autotune_restore": (call("double_", ("x", f32(1000, mutated=True))), [["double_kernel"]] * 3),
    "heuristics": (call("neg", ("x", f32(17))), [["negate_kernel"]] * 3),
    "nn_module": (call("affine", ("x", f32(3, 32))),
                  [["upload"] * 3 + ["affine_kernel"], ["affine_kernel"], ["affine_kernel"]]),
    "cached_by_shape": (call("square", ("x", f32(2000))), [["square_kernel"]] * 3),
    "autograd_function": (call("exp", ("x", f32(5, 7))), [["exp_kernel"]] * 3),
    "inference_mode": (call("transpose", ("x", f32(5, 7, strides=[1, 5]))), [["copy", "transpose_kernel"]] * 3),
    "complex_as_real": (call("conj", ("x", tensor("c64", 9))), [["conj_kernel"]] * 3),
    "bool_bytes": (call("logical_not", ("x", tensor("b8", 9))), [["not_kernel"]] * 3),
    "tuple_arguments": (call("copy", ("x", f32(5, 7, strides=[1, 5]))), [["strided_copy"]] * 3),
    "pointer_array": (call("scale", ("A", ("pointers", [f32(16)] * 3)), ("n", ("int", 16))),
                      [["upload", "scale_batched"]] * 3),
    "raw_pointers": (call("tail", ("x", f32(16)), ("start", ("int", 3))), [["shift_kernel"]] * 3),
    "generator_seed": (call("uniform_", ("x", f32(10, mutated=True)), generator=("generator", True)),
                       [["rand_kernel"]] * 3),
    "device_questions": (call("fill", ("x", f32(20000)), ("value", ("float", 3.0))), [["fill_kernel"]] * 3),
    "side_stream": (call("halves", ("x", f32(1600))), [["plus_one", "plus_one"]] * 3),
    "casts_and_fills": (call("reversed_sum", ("x", tensor("f16", 16))),
                        [["copy", "fill", "fill", "fill", "constant", "accumulate", "copy", "fill", "copy"]] * 3),
    "host_descriptor": (call("copy", ("x", f32(64, 64))), [["block_copy"]] * 3),
    "descriptor_forms": (call("three", ("x", f32(8, 16))), [["move"] * 3] * 3),
    "list_of_tensors": (call("cat", ("tensors", [f32(4), tensor("f16", 0), f32(9)])), [["paste", "paste"]] * 3),
    "fp8_and_half": (call("quantize", ("x", tensor("bf16", 16)), ("scale", ("float", 2.0))),
                     [["quantise", "fill"]] * 3),
    "print_and_copy": (call("halve", ("x", f32(16))), [["copy", "half_kernel"]] * 3),
    "custom_operator": (call("triple", ("x", f32(16))), [["triple_kernel"]] * 3),
    "worker_thread": (call("decrement", ("x", f32(16))), [["fill", "dec_kernel"]] * 3),
    "self_benchmark": (call("identity", ("x", f32(1600))), [["id_kernel"]] * 3),
    "expanded_views": (call("broadcast_add", ("x", f32(3, 1)), ("y", f32(1, 5))),
                       [["outer_kernel", "outer_kernel"]] * 3),
    "warmup_occupancy": (call("softmax", ("x", f32(5, 77))), [["softmax_kernel"]] * 3),
    "fork_and_join": (call("five_times", ("x", f32(1000))), [["scale", "scale", "plus"]] * 3),
    "halves_at_once": (call("neg", ("x", f32(1000))), [["negate", "negate"]] * 3),
    "address_table": (call("stack", ("tensors", [f32(9), f32(9)])),
                      [["upload"] * 4 + ["copy"] + ["gather"] * 3] * 3),
    "workspace_slices": (call("squares", ("x", f32(4, 6))), [["square_rows", "square_rows", "total"]] * 3),
    "address_alone": (call("four_times", ("x", f32(20))), [["twice", "twice"]] * 3),
    "rng_state": (call("rand", ("n", ("int", 70))), [["draw"]] * 3),
    "thread_class": (call("plus_three", ("x", f32(200))), [["shift", "shift"]] * 3),
}

EVENTS = {"casts_and_fills": {"cast"}, "worker_thread": {"thread"}, "thread_class": {"thread"},
          "self_benchmark": {"self_benchmark"}}
_recorded = {}


def recording(name):
    """The recording of one host code, made once."""
    if name not in _recorded:
        _recorded[name] = run(HOST_CODES / f"{name}.py", CASES[name][0]).recording()
    return _recorded[name]


def launches(name, number=0):
    made = recording(name)
    return [dict(node, name=made["kernels"][node["kernel"]]["name"]) for node in made["calls"][number]["nodes"]
            if node["node"] == "launch"]


def output(name, number=0, index=0):
    return recording(name)["calls"][number]["outputs"][index]["tensor"]


def buffer_of(name, arg, number=0):
    """Index of an argument's input buffer."""
    for index, buffer in enumerate(recording(name)["buffers"]):
        if buffer["kind"] == "input" and buffer["arg"] == arg and buffer["call"] == number:
            return index
    raise AssertionError(f"{name} has no input {arg} in call {number}")


def test_every_host_code_has_a_case():
    assert {path.stem for path in HOST_CODES.glob("*.py")} == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_recording_obeys_the_contract_and_holds_the_expected_nodes(name):
    asked, expected = CASES[name]
    made = recording(name)
    plan_check.check(made, [asked] * 3)
    found = [[made["kernels"][n["kernel"]]["name"] if n["node"] == "launch" else n["node"] for n in c["nodes"]]
             for c in made["calls"]]
    assert found == expected
    assert {e["kind"] for c in made["calls"] for e in c["events"]} == EVENTS.get(name, set())
    assert not any(leaf["odd"] for c in made["calls"] for leaf in c["outputs"])


@pytest.mark.parametrize("name", CASES)
def test_every_launch_names_a_line_of_the_candidate(name):
    lines = (HOST_CODES / f"{name}.py").read_text().splitlines()
    for number in range(3):
        for launch in launches(name, number):
            assert launch["file"] == "candidate.py"
            assert "[" in lines[launch["line"] - 1] or "launch(" in lines[launch["line"] - 1]


def test_positions_in_the_ttir_name_the_candidates_file():
    assert 'loc("candidate.py":' in recording("add_lambda_grid")["kernels"][0]["ttir"]


def test_arguments_carry_pointers_numbers_and_the_scalar():
    launch, = launches("add_lambda_grid")
    out = output("add_lambda_grid")
    assert launch["args"] == [{"ptr": [buffer_of("add_lambda_grid", "self"), 0]},
                              {"ptr": [buffer_of("add_lambda_grid", "other"), 0]}, {"ptr": out["at"]}, {"int": 2800},
                              {"float": 2.5}]
    assert launch["grid"] == [3, 1, 1]
    assert recording("add_lambda_grid")["kernels"][0]["signature"] == ["*fp32", "*fp32", "*fp32", "i32", "fp32"]


def test_options_are_those_of_the_launch():
    assert recording("softmax_rows")["kernels"][0]["options"]["num_warps"] == "4"
    assert recording("autotuned")["kernels"][0]["options"]["num_warps"] == "2"
    assert recording("warmup_occupancy")["kernels"][0]["options"]["num_warps"] == "8"


def test_in_place_output_is_the_argument_itself():
    for number in range(3):
        self_buffer = buffer_of("add_inplace", "self", number)
        assert output("add_inplace", number)["at"] == [self_buffer, 0]
        assert launches("add_inplace", number)[0]["args"][0] == {"ptr": [self_buffer, 0]}


def test_a_cached_workspace_is_allocated_by_the_first_call_only():
    made = recording("global_workspace")
    places = {tuple(launches("global_workspace", c)[0]["args"][1]["ptr"]) for c in range(3)}
    assert len(places) == 1
    buffer = made["buffers"][places.pop()[0]]
    assert buffer == {"kind": "alloc", "bytes": 4096, "call": 0}


def test_what_the_import_made_comes_before_the_first_call():
    made = recording("module_level_table")
    upload, fill, launch = made["calls"][0]["nodes"]
    assert base64.b64decode(upload["bytes"]) == b"\0\0\x80?\0\0\0@\0\0\x80@\0\0\0A"
    assert launch["args"][1] == {"ptr": upload["dst"]} and launch["args"][2] == {"ptr": fill["dst"]["at"]}
    assert fill["dst"]["dtype"] == "i32" and fill["dst"]["shape"] == [16]


def test_the_first_configuration_that_compiles_is_recorded():
    # 96 is no power of two, so its front end refuses it; 256 is next.
    assert launches("autotune_restore")[0]["grid"] == [4, 1, 1]
    assert len(recording("autotune_restore")["kernels"]) == 1


def test_raw_addresses_become_pointers_with_their_offset():
    launch, = launches("raw_pointers")
    assert launch["args"][0] == {"ptr": [buffer_of("raw_pointers", "x"), 12]}
    assert recording("raw_pointers")["kernels"][0]["signature"][0] == "i64"


def test_uploaded_addresses_become_relocations():
    nodes = recording("pointer_array")["calls"][1]["nodes"]
    outputs = [leaf["tensor"]["at"] for leaf in recording("pointer_array")["calls"][1]["outputs"]]
    assert nodes[0]["relocations"] == [[0, outputs[0]], [8, outputs[1]], [16, outputs[2]]]
    assert nodes[1]["args"][0] == {"ptr": [buffer_of("pointer_array", "A", 1), 0]}


def test_seed_and_offset_come_from_the_request_and_advance():
    seeds = [launches("generator_seed", c)[0]["args"][2:] for c in range(3)]
    assert [s["int"] for s, _ in seeds] == [workload_seed(123, "s1")] * 3
    assert [o["int"] for _, o in seeds] == [0, 12, 24]


def test_the_grid_follows_the_impersonated_device():
    assert launches("device_questions")[0]["grid"] == [264, 1, 1]


def test_host_descriptors_travel_as_their_parts():
    kernel = recording("host_descriptor")["kernels"][0]
    assert kernel["signature"] == 2 * (["*fp32"] + ["i64"] * 4 + ["i1"] + ["i32"] * 2 + ["i64"] * 2)
    assert "tensordesc" not in kernel["ttir"].split("tt.func", 1)[1].split("{", 1)[0]


def test_a_descriptor_of_a_slice_tells_the_slice():
    whole, lower, nan = launches("descriptor_forms")
    x = buffer_of("descriptor_forms", "x")
    assert whole["args"][0] == {"ptr": [x, 0]}
    assert lower["args"][0] == nan["args"][0] == {"ptr": [x, 256], "dtype": "f32", "shape": [4, 16], "strides": [16, 1]}
    assert [launched["args"][5] for launched in (lower, nan)] == [{"int": 0}, {"int": 1}]


def test_casts_fills_and_constants_keep_their_values():
    nodes = recording("casts_and_fills")["calls"][0]["nodes"]
    assert (nodes[0]["src"]["dtype"], nodes[0]["dst"]["dtype"]) == ("f16", "f32")
    assert base64.b64decode(nodes[2]["value"]) == b"\0\0\xc0?" and nodes[2]["dst"]["shape"] == [8]
    assert nodes[3]["dst"]["at"][1] == 60
    assert nodes[4]["kind"] == "arange" and nodes[4]["params"] == [15, -1] and nodes[4]["dst"]["dtype"] == "i64"


def test_outputs_may_be_slices_of_one_buffer():
    first, second = output("expanded_views"), output("expanded_views", index=1)
    assert first["at"][0] == second["at"][0] and second["at"][1] == first["at"][1] + 60


def test_python_values_are_leaves_of_their_own():
    made = recording("list_of_tensors")["calls"][0]
    assert made["structure"] == "tuple[2]"
    assert made["outputs"][1] == {"path": "return[1]", "type": "int", "scalar": 13, "odd": False}


def test_streams_and_waits_are_edges():
    made = recording("fork_and_join")["calls"][1]
    assert [(n.get("stream", 0), n.get("after", [])) for n in made["nodes"]] == [(1, []), (2, []), (0, [0, 1])]
    assert made["joined"] == [0, 1, 2]
    made = recording("halves_at_once")["calls"][0]
    assert [(n.get("stream", 0), n.get("after", [])) for n in made["nodes"]] == [(1, []), (0, [])]
    assert made["joined"] == [0, 1]


def test_a_thread_has_a_current_stream_of_its_own():
    made = recording("thread_class")["calls"][0]
    assert [n.get("stream", 0) for n in made["nodes"]] == [1, 0] and made["nodes"][1]["after"] == [0]


def test_one_stream_needs_no_edges():
    made = recording("add_lambda_grid")["calls"][0]
    assert "joined" not in made and not {"stream", "after"} & set(made["nodes"][0])


def test_a_tensor_that_is_a_part_of_its_storage_is_told_with_its_pointer():
    first, second, last = launches("workspace_slices")
    left, right, sums = first["args"][1], second["args"][1], last["args"][1]
    room = left["ptr"][0]
    assert left == {"ptr": [room, 0], "dtype": "f32", "shape": [4, 6], "strides": [12, 1]}
    assert right == {**left, "ptr": [room, 24]} == last["args"][0]
    assert sums == {"ptr": [room, 192], "dtype": "f32", "shape": [1], "strides": [1]}
    assert "shape" not in first["args"][0]  # `x` is all of its storage


def test_an_allocation_ends_where_host_code_lets_go_of_it():
    made = recording("address_alone")
    for number in range(3):
        used = launches("address_alone", number)[0]["args"][1]["ptr"][0]
        assert made["buffers"][used]["freed"] == [number, 0]
    made = recording("fork_and_join")
    for number, launched in enumerate(launches("fork_and_join", c)[2] for c in range(3)):
        temporary, _, out = [a["ptr"][0] for a in launched["args"][:3]]
        assert made["buffers"][temporary]["freed"] == [number, 3] and "freed" not in made["buffers"][out]


def test_workspaces_and_module_level_tables_are_not_freed():
    for name in ("global_workspace", "module_level_table"):
        assert not any("freed" in b for b in recording(name)["buffers"] if b["call"] == 0 and b["kind"] == "alloc"
                       and recording(name)["buffers"].index(b) in kept_buffers(name))


def kept_buffers(name):
    """Allocations of the first call that the last one still uses."""
    return {a["ptr"][0] for node in launches(name, 2) for a in node["args"] if "ptr" in a} & {
        i for i, b in enumerate(recording(name)["buffers"]) if b["call"] == 0}


def test_every_spelling_of_a_table_of_addresses_is_relocated():
    nodes = recording("address_table")["calls"][2]["nodes"]
    items = [buffer_of("address_table", f"tensors[{i}]", 2) for i in range(2)]
    assert [n["relocations"] for n in nodes[:4]] == [
        [[0, [items[0], 0]]], [[0, [items[1], 0]]], *[[[0, [items[0], 0]], [8, [items[1], 0]]]] * 2]


def test_a_generators_state_is_that_of_the_request_and_moves_on():
    drawn = [launches("rng_state", c)[0]["args"][2:] for c in range(3)]
    assert [seed["int"] for seed, _ in drawn] == [workload_seed(123, "s1")] * 3
    assert [offset["int"] for _, offset in drawn] == [0, 72, 144]
