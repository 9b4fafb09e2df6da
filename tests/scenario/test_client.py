# SPDX-License-Identifier: Apache-2.0
"""kgbench.Judge: the judge as a reward, from Python."""
import os

import pytest
from conftest import BINARY, FAST, expert

import kgbench

GOOD = expert("vllm::rms_norm").read_text()
NOT_ASKED_FOR = "def rms_norm(out, input, weight, epsilon):\n    out.zero_()\n"


@pytest.fixture(scope="module")
def judge():
    with kgbench.Judge(lanes=2, command=BINARY, options=FAST) as judge:
        yield judge


def test_one_candidate_is_judged_in_a_call(judge):
    result = judge("vllm::rms_norm", GOOD)
    assert (result.verdict, result.passed, result.retryable, result.speedup) == ("pass", True, False, None)
    assert result.workloads_passed == result.workloads_judged > 0
    assert result.ms["total"] > 0


def test_a_wrong_candidate_is_not_passed_and_says_why(judge):
    result = judge("rms_norm", NOT_ASKED_FOR)
    assert not result.passed
    assert result.workloads_passed < result.workloads_judged
    assert result.message


def test_map_answers_each_pair_once_by_its_index(judge):
    pairs = [("rms_norm", "def f(:"), ("rms_norm", GOOD), ("vllm::rms_norm", "x = 1"), ("rms_norm", "import flash_attn")]
    results = {result.id: result.verdict for result in judge.map(iter(pairs))}
    assert results == {0: "compile_error", 1: "pass", 2: "wrong_contract", 3: "not_custom"}


def test_map_takes_no_more_than_its_window_ahead():
    taken = []

    def endless():
        while True:
            taken.append(len(taken))
            yield "rms_norm", "x = 1"

    with kgbench.Judge(lanes=1, command=BINARY, options=FAST, window=3) as judge:
        next(judge.map(endless()))
    assert len(taken) <= 4


def test_an_unknown_operator_raises_and_the_judge_goes_on(judge):
    with pytest.raises(kgbench.JudgeError, match="rms_norn is no operator"):
        judge("rms_norn", GOOD)
    assert judge("rms_norm", "x = 1").verdict == "wrong_contract"


def test_a_judge_that_cannot_start_raises():
    with kgbench.Judge(command=BINARY, options=["--no-such-option"]) as judge:
        with pytest.raises(kgbench.JudgeError, match="the judge has ended"):
            judge("rms_norm", GOOD)


def test_a_program_that_is_not_there_is_named(monkeypatch):
    monkeypatch.delenv("KGBENCH_COMMAND", raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(kgbench.JudgeError, match="kgbench is not on PATH"):
        kgbench.Judge()
