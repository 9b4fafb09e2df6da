# SPDX-License-Identifier: Apache-2.0
"""What the tuner makes of experts still computes the same: judged on the virtual machine."""
import json
import random

import pytest
from conftest import FAST, expert, kgbench
from kgbench.tune import rewritten, space_of

# Each has what the others have not: a grid of two axes, products, loops from the end, lanes alone, a shared launch.
REWRITTEN = ["aten::add", "aten::softmax", "aten::sum", "aten::mm", "aten::silu", "vllm::rms_norm", "cublas::Sgemm",
             "vllm::scaled_int8_quant", "cublas::Dgemv"]


def steps_of(op, text):
    """One step along every axis, each kind twice at most; then all of them but the sizes at once."""
    draw, steps, kinds = random.Random(op), [], {}
    for axis in space_of(text):
        kinds[axis.kind] = kinds.get(axis.kind, 0) + 1
        if kinds[axis.kind] <= 2:
            at = axis.values.index(axis.seed)
            near = [v for i, v in enumerate(axis.values) if v != axis.seed and (not axis.ordered or abs(i - at) == 1)]
            steps.append({axis.id: draw.choice(near)})
    steps.append({name: value for step in steps for name, value in step.items() if not name.startswith("size")})
    return steps


@pytest.fixture(scope="module")
def results():
    """All of them, judged by one process: {operator: {step: result}}."""
    asked = {op: [json.dumps(step) for step in steps_of(op, expert(op).read_text())] for op in REWRITTEN}
    lines = [json.dumps({"id": json.dumps([op, step]), "op": op, "source": rewritten(expert(op).read_text(), json.loads(step))})
             for op, steps in asked.items() for step in steps]
    done = kgbench("judge", "--stream", *FAST, "--chip", "cpu", input="\n".join(lines).encode() + b"\n")
    found = {op: dict.fromkeys(steps) for op, steps in asked.items()}
    for result in map(json.loads, done.out.splitlines()):
        op, step = json.loads(result["id"])
        found[op][step] = result
    return found


@pytest.mark.parametrize("op", REWRITTEN)
def test_rewritten_experts_still_pass(op, results):
    assert len(results[op]) >= 2
    for step, result in results[op].items():
        assert result and result["verdict"] == "pass", (step, result)
