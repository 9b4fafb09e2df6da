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


@pytest.mark.parametrize("op", REWRITTEN)
def test_rewritten_experts_still_pass(op):
    text = expert(op).read_text()
    draw = random.Random(op)
    # One step along every axis, each kind twice at most; then all of them but the sizes at once.
    steps, kinds = [], {}
    for axis in space_of(text):
        kinds[axis.kind] = kinds.get(axis.kind, 0) + 1
        if kinds[axis.kind] <= 2:
            at = axis.values.index(axis.seed)
            near = [v for i, v in enumerate(axis.values) if v != axis.seed and (not axis.ordered or abs(i - at) == 1)]
            steps.append({axis.id: draw.choice(near)})
    steps.append({name: value for step in steps for name, value in step.items() if not name.startswith("size")})
    lines = "".join(json.dumps({"id": json.dumps(step), "op": op, "source": rewritten(text, step)}) + "\n" for step in steps)
    done = kgbench("judge", "--stream", *FAST, "--chip", "cpu", input=lines.encode())
    results = [json.loads(line) for line in done.out.splitlines()]
    assert len(results) == len(steps), done.err
    assert {r["id"]: r["verdict"] for r in results} == {json.dumps(step): "pass" for step in steps}, \
        [(r["id"], r["verdict"], r.get("reason")) for r in results if r["verdict"] != "pass"]
