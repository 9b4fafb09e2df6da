# SPDX-License-Identifier: Apache-2.0
"""The fixture screen: the demo suite has no holes, and a card that was weakened on purpose is reported."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HOME = Path(os.environ.get("KGBENCH_HOME", Path(__file__).resolve().parents[2]))
ANSWERS = {"zeros", "ones", "constant", "mean", "nan", "input", "untouched", "shuffled", "last_block_missing",
           "lower_precision", "lower_operands"}


def kgbench(*args, home=HOME):
    return subprocess.run([os.environ.get("KGBENCH_BINARY", "kgbench"), *args], capture_output=True, text=True,
                          env={**os.environ, "KGBENCH_HOME": str(home)})


def screen(*args, home=HOME):
    """(exit code, report) of `kgbench screen ARGS --json` over the catalogue in `home`."""
    done = kgbench("screen", *args, "--json", home=home)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout)


def holes(report, entry="softmax", dtype="f32"):
    """The answers that one entry lets pass for one dtype."""
    return {answer for row in report["rows"] if row["entry"] == entry and row["dtype"] == dtype for answer in row["holes"]}


@pytest.fixture
def softmax(tmp_path):
    """softmax(change) -> an installation whose one card is softmax's, its text changed."""
    def changed(change):
        target = tmp_path / "catalogue" / "operators" / "aten" / "softmax"
        shutil.copytree(HOME / "catalogue" / "operators" / "aten" / "softmax", target)
        shutil.copytree(HOME / "catalogue" / "chips", tmp_path / "catalogue" / "chips")
        (tmp_path / "python").symlink_to(HOME / "python")
        card = target / "card.toml"
        before = card.read_text()
        card.write_text(change(before))
        assert card.read_text() != before
        return tmp_path
    return changed


def one_workload(domain):
    """A change that leaves a card one workload of this domain."""
    return lambda card: card[:card.index("[[workload]]")] + (
        f'[[workload]]\ntier = "smoke"\nself = {{ shape = [[5, 17]], dtype = "f32", domain = "{domain}" }}\ndim = 1\n')


def ulps(value):
    return lambda card: re.sub(r"^ulps +=.*$", f"ulps = {value}", card, flags=re.M)


def test_the_demo_suite_rejects_every_trivial_answer():
    code, report = screen("--suite", "demo")
    found = [(row["op"], row["entry"], row["output"], row["dtype"], row["holes"], row["right_refused"])
             for row in report["rows"] if row["holes"] or row["right_refused"]]
    assert found == []
    assert code == 0 and report["holes"] == 0
    seen = {row["op"] for row in report["rows"]}
    assert {"aten::softmax", "aten::sort", "aten::add_", "cublas::Sgemm", "vllm::rms_norm"} <= seen
    assert [one["op"] for one in report["skipped"]] == ["aten::bernoulli"]
    assert {answer["answer"] for row in report["rows"] for answer in row["answers"]} == ANSWERS


def test_counts_are_of_workloads_where_the_answer_is_wrong():
    _, report = screen("--op", "aten::softmax,aten::zeros_like")
    for row in report["rows"]:
        for answer in row["answers"]:
            assert set(answer["rejected_by"]) <= set(answer["wrong_in"]) <= set(row["workloads"])
    of_zeros = {answer["answer"] for row in report["rows"] if row["op"] == "aten::zeros_like" for answer in row["answers"]}
    assert "ones" in of_zeros
    assert not of_zeros & {"zeros", "constant", "mean", "shuffled", "last_block_missing"}  # zeros themselves


def test_a_bound_that_is_far_too_wide_lets_even_zeros_pass(softmax):
    code, report = screen("--op", "aten::softmax", home=softmax(ulps("1e9")))
    assert code == 1
    assert {"zeros", "last_block_missing", "lower_precision", "lower_operands"} <= holes(report)
    assert "nan" not in holes(report)


def test_a_bound_that_is_somewhat_too_wide_lets_lower_precision_pass(softmax):
    # 11 bits are wrong by 2^-11 at most, which is 8192 units of f32's roundoff.
    code, report = screen("--op", "aten::softmax", home=softmax(ulps("9000")))
    assert code == 1
    assert "lower_precision" in holes(report)
    assert not holes(report) & {"zeros", "ones", "input", "last_block_missing"}


def test_constant_inputs_that_make_a_shuffle_right_are_a_hole(softmax):
    code, report = screen("--op", "aten::softmax", home=softmax(one_workload("constant(2)")))
    assert code == 1
    assert {"constant", "mean", "shuffled"} <= holes(report)
    assert "zeros" not in holes(report)


def test_one_workload_of_ordinary_values_is_enough_for_its_dtype(softmax):
    code, report = screen("--op", "aten::softmax", home=softmax(one_workload("normal(0, 1)")))
    assert (code, report["holes"]) == (0, 0)
    assert [row["dtype"] for row in report["rows"]] == ["f32"]
    assert 0 < report["rows"][0]["moves"]["share"] <= 1


def test_values_that_one_ulp_of_the_inputs_moves_out_of_their_bound_are_a_hole(softmax):
    # At a million one ulp is 1/16: the right values move by whole per cents. Around 0 they do not.
    unstable = one_workload("normal(1e6, 1)")
    home = softmax(lambda card: re.sub(r"^sensitive = .*\n", "", unstable(card), flags=re.M))
    code, report = screen("--op", "aten::softmax", home=home)
    row, = report["rows"]
    assert code == 1 and report["holes"] == 1 and row["holes"] == []
    assert row["moves"]["unstable"] == ["s0"] and row["moves"]["share"] > 100


def test_a_card_may_say_why_its_values_are_sensitive(softmax):
    code, report = screen("--op", "aten::softmax", home=softmax(one_workload("normal(1e6, 1)")))
    assert (code, report["holes"]) == (0, 0)
    moves = report["rows"][0]["moves"]
    assert moves["unstable"] == ["s0"] and "as the operator says" in moves["sensitive"]


def test_people_are_told_the_hole_and_its_place(softmax):
    done = kgbench("screen", "--suite", "ms", home=softmax(one_workload("constant(2)")))
    assert done.returncode == 1
    assert "hole: aten::softmax softmax return f32: 'shuffled'" in done.stdout


def test_an_unknown_suite_is_the_users_mistake():
    done = kgbench("screen", "--suite", "demos")
    assert done.returncode == 2 and "demos" in done.stderr
