# SPDX-License-Identifier: Apache-2.0
"""Recordings compute what their host codes mean: each goes through the executor and is compared with torch."""
import pytest
import test_host_codes
import torch
from trial import run_trial, values_of


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
    "descriptor_forms": lambda v: [torch.stack([v["x"], *(torch.cat([v["x"][4:], torch.full((4, 16), f)])
                                                          for f in (0.0, -1.0))])],
    "list_of_tensors": lambda v: [torch.cat([v["tensors[0]"], v["tensors[2]"]])],
    "fp8_and_half": lambda v: [(v["x"].float() / 2).to(torch.float8_e4m3fn), torch.tensor([2.0])],
    "print_and_copy": lambda v: [v["x"] * 0.5],
    "custom_operator": lambda v: [v["x"] * 3],
    "worker_thread": lambda v: [v["x"] - 1],
    "self_benchmark": lambda v: [v["x"]],
    "expanded_views": lambda v: [v["x"] + v["y"]] * 2,
    "warmup_occupancy": lambda v: [v["x"].softmax(-1)],
    "fork_and_join": lambda v: [v["x"] * 5],
    "halves_at_once": lambda v: [-v["x"]],
    "address_table": lambda v: [torch.stack([v["tensors[0]"], v["tensors[1]"]]).repeat(3, 1)],
    "workspace_slices": lambda v: [v["x"] ** 2, (v["x"] ** 2).sum()],
    "address_alone": lambda v: [v["x"] * 4],
    "thread_class": lambda v: [v["x"] + 3],
}


def replayed(name):
    """(findings, outputs by call and path)."""
    asked, _ = test_host_codes.CASES[name]
    return run_trial(test_host_codes.recording(name), [asked] * 3)


@pytest.mark.parametrize("name", MEANING)
def test_replaying_a_recording_gives_what_the_host_code_means(name):
    asked, _ = test_host_codes.CASES[name]
    findings, outputs = replayed(name)
    assert findings == []
    for call in range(3):
        returned = [v for path, v in outputs[call].items() if path.startswith("return")]
        wanted = MEANING[name](values_of(asked, call))
        for found, expected in zip(returned, wanted, strict=True):
            found = found[:expected.numel()] if name == "device_questions" else found
            compare = torch.complex64 if expected.is_complex() else torch.float32
            torch.testing.assert_close(found.to(compare), expected.to(compare), rtol=1e-5, atol=1e-5)


def test_every_host_code_has_a_meaning_or_draws_at_random():
    assert set(test_host_codes.CASES) - set(MEANING) == {"generator_seed", "rng_state"}


@pytest.mark.parametrize("name", ["generator_seed", "rng_state"])
def test_random_numbers_differ_between_the_calls_of_a_trial(name):
    findings, outputs = replayed(name)
    assert findings == []
    first, second, third = (call["return"] for call in outputs)
    assert all(0 <= v < 1 for v in first) and not torch.equal(first, second) and not torch.equal(second, third)
