# SPDX-License-Identifier: Apache-2.0
"""No candidate pays for torch._dynamo that does not import it, and one that does has patched nothing."""
import harness
import pytest
import torch
from harness import call, run, tensor
from test_policy import body

X = tensor("f32", 8, 16)
SAYS = "import sys\nassert 'torch._dynamo' not in sys.modules, 'imported'\n"


@pytest.mark.parametrize("text", [
    "torch.manual_seed(3)\nreturn launch(x, torch.empty_like(x))",
    "t = torch.eye(3, device='cuda', dtype=torch.float16)\nreturn launch(t, torch.empty_like(t))",
    "t = torch.tril_indices(3, 4, offset=1, device='cuda')\nreturn launch(t, torch.empty_like(t))",
    "t = torch.arange(0, 2, 0.25, device='cuda')\nreturn launch(t, torch.empty_like(t))",
])
def test_shape_functions_and_wrappers_run_as_they_are(text):
    *steps, last = text.split("\n")
    assert events("\n".join([*steps, "result = (lambda: " + last.removeprefix("return ") + ")()", SAYS, "return result"])) == []


def test_a_custom_operator_runs_as_it_is():
    text = ("def two(x: torch.Tensor) -> torch.Tensor:\n    return launch(x, torch.empty_like(x))\n"
            "op = torch.library.custom_op('untraced::two', two, mutates_args=(), device_types='cuda')\n"
            "result = op(x)\n" + SAYS + "return result")
    assert events(text) == []


def test_whoever_imports_it_has_patched_nothing():
    assert events("import torch._dynamo\nreturn launch(x, torch.empty_like(x))") == []


def test_a_replaced_seeding_function_is_still_seen():
    assert events("torch.manual_seed = lambda seed: None\nreturn launch(x, torch.empty_like(x))") == ["judge_patched"]


def test_wrapped_functions_give_what_they_gave():
    ran = run(body("return launch(x, torch.empty_like(x))"), call("run", ("x", X)))  # the harness is warm after it
    assert ran.status == 0
    assert torch._disable_dynamo(len) is len
    assert torch._disable_dynamo(recursive=False)(len) is len
    meta = torch.add(torch.empty((2, 3), device="meta"), torch.empty((4, 1, 3), device="meta"))
    assert meta.shape == (4, 2, 3) and harness._warm


def events(text):
    """Kinds of events of all calls."""
    made = run(body(text), call("run", ("x", X))).recording()
    return [event["kind"] for c in made["calls"] for event in c["events"]]
