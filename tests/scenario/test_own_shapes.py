# SPDX-License-Identifier: Apache-2.0
"""Shapes of one's own: one that the operator does not take is the user's mistake, whatever the candidate does with it."""
import json

import pytest
from conftest import FAST, expert, kgbench

NOT_TAKEN = [
    ("aten::mm", "self=f32[3,4] mat2=f32[5,6]", "self f32[3,4], mat2 f32[5,6]. It raises "),
    ("aten::bmm", "self=f32[2,3,4] mat2=f32[3,4,5]", "self f32[2,3,4], mat2 f32[3,4,5]. It raises "),
    ("aten::softmax", "softmax_out: self f32[4,5], dim=-1, out f32[4,6]", "dim=-1, out f32[4,6]. "),
    ("vllm::rms_norm", "out=f16[3,8] input=f16[3,8] weight=f16[9] epsilon=1e-6", "weight f16[9], epsilon=1e-06. "),
]


@pytest.mark.parametrize("op, spec, said", NOT_TAKEN, ids=[row[0] for row in NOT_TAKEN])
def test_a_shape_that_the_operator_does_not_take_ends_with_2(op, spec, said):
    done = kgbench("judge", expert(op), "--op", op, "--workload-spec", spec, *FAST)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {op} takes no such workload: ") and said in done.err, done.err
    assert len(done.err.splitlines()) == 1, done.err


def test_what_depends_on_values_is_taken():
    done = kgbench("judge", expert("aten::_local_scalar_dense"), "--op", "aten::_local_scalar_dense", "--workload-spec",
                   "self=f32[1]", *FAST)
    assert done.code == 0, done.out + done.err


def test_a_stream_answers_such_a_shape_with_an_error_and_goes_on():
    lines = [json.dumps({"id": n, "op": op, "source": expert(op).read_text()}) for n, op in enumerate(["aten::mm", "aten::mul"])]
    done = kgbench("judge", "--stream", "-j", "1", "--workload-spec", "self=f32[3,4] other=f32[5,6]", *FAST,
                   input=("\n".join(lines) + "\n").encode())
    answers = sorted((json.loads(line) for line in done.out.splitlines()), key=lambda answer: answer["id"])
    assert done.code == 0 and [a["id"] for a in answers] == [0, 1], done.out + done.err
    assert "aten::mul takes no such workload" in answers[1]["error"]


def test_a_finding_names_the_file_as_the_user_does(tmp_path):
    file = tmp_path / "mine.py"
    text = expert("aten::neg").read_text()
    file.write_text(text.replace("mask=", "mask=None if True else "))
    done = kgbench("judge", file, "--op", "aten::neg", "--workload-spec", "self=f32[100]", *FAST)
    assert done.code == 1 and "candidate.py" not in done.out, done.out
    assert f"at {file}:" in done.out, done.out
