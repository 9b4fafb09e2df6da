# SPDX-License-Identifier: Apache-2.0
"""The judge as a stream: every line gets an answer of the published form, whatever it holds, and the stream goes on."""
import json
import subprocess
import threading

import pytest
from conftest import BINARY, FAST, HOME, expert
from schema import errors

SCHEMA = json.loads((HOME / "docs" / "reward-stream.schema.json").read_text())["$defs"]
GOOD = expert("vllm::rms_norm").read_text()
SPOILED = "def rms_norm(:\n"


def request(**fields):
    return json.dumps(fields).encode()


# Each bad line with the error it must get.
BAD = [
    (b"{not json", "the line is no JSON"),
    (b"[1, 2]", "the line is no JSON object"),
    (b'"text"', "the line is no JSON object"),
    (b'{"id": "\xff\xfe", "op": "softmax"}', "the line is no JSON"),
    (request(id="u", op="aten::sofmax", source="x"), "sofmax"),
    (request(id="k", op="softmax", source="x", sead="1"), "unknown key 'sead' (did you mean 'seed'?)"),
    (request(op="softmax", source="x"), "`id` must be a text or an integer"),
    (request(id=1.5, op="softmax", source="x"), "`id` must be a text or an integer"),
    (request(id="o", source="x"), "`op` is missing"),
    (request(id="t", op=7, source="x"), "`op` must be a text"),
    (request(id="n", op="softmax"), "give either `source` or `file`"),
    (request(id="b", op="softmax", source="x", file="y"), "give either `source` or `file`"),
    (request(id="f", op="softmax", file="/no/such/file.py"), "cannot open '/no/such/file.py': No such file or directory"),
    (request(id="l", op="softmax", source="x", language="fortran"), "`language` is triton, cpp or cuda"),
    (request(id="s", op="softmax", source="x", seed="hello"), "`seed` is not 1 to 16 hexadecimal digits"),
    (request(id="big", op="softmax", source="x" * (20 << 20)), "the line is longer than 16 MiB"),
    (b"[" * 100000, "the line is no JSON"),
]
WELL_FORMED = [request(id="good", op="rms_norm", source=GOOD), request(id=7, op="vllm::rms_norm", source=SPOILED),
               request(id="", op="rms_norm", source=""),
               request(id="after", op="rms_norm", file=str(expert("vllm::rms_norm")), seed="ab")]


@pytest.fixture(scope="module")
def answers():
    """Good lines between bad ones; empty lines are none."""
    lines = [WELL_FORMED[0], *[line for line, _ in BAD[:8]], b"", b"   ", WELL_FORMED[1],
             *[line for line, _ in BAD[8:]], WELL_FORMED[2], WELL_FORMED[3]]
    done = subprocess.run([BINARY, "judge", "--stream", "-j", "2", *FAST], input=b"\n".join(lines), timeout=400,
                          stdout=subprocess.PIPE)
    assert done.returncode == 0
    numbers = {line: number for number, line in enumerate(lines, 1)}
    return [json.loads(line) for line in done.stdout.decode("utf-8").splitlines()], numbers


def test_every_line_gets_one_answer(answers):
    assert len(answers[0]) == len(BAD) + len(WELL_FORMED)


def test_every_answer_has_the_published_form(answers):
    for answer in answers[0]:
        assert errors(answer, SCHEMA["error" if "error" in answer else "result"]) == []


def test_well_formed_candidates_are_judged_between_malformed_lines(answers):
    verdicts = {answer["id"]: answer["verdict"] for answer in answers[0] if "verdict" in answer}
    assert verdicts == {"good": "pass", 7: "compile_error", "": "compile_error", "after": "pass"}


@pytest.mark.parametrize("index", range(len(BAD)))
def test_a_malformed_line_is_named_with_its_reason(answers, index):
    line, reason = BAD[index]
    said, = [a["error"] for a in answers[0] if "error" in a and a["line"] == answers[1][line]]
    assert reason in said


def test_an_id_survives_in_errors_where_the_line_has_one(answers):
    ids = [a["id"] for a in answers[0] if "error" in a]
    for name in ("u", "k", "o", "t", "n", "b", "f", "l", "s"):
        assert name in ids


def test_the_checker_of_schemas_finds_faults():
    result = {"schema": 1, "id": 1, "op": "x", "verdict": "pass", "gate": "fast", "workloads_passed": 1,
              "workloads_judged": 1, "speedup": None, "retryable": False, "ms": {}, "message": "", "profile": "careful"}
    assert errors(result, SCHEMA["result"]) == []
    for key, value in [("verdict", "good"), ("schema", 2), ("id", None), ("workloads_passed", -1), ("more", 1),
                       ("speedup", {"ratio": 1}), ("ms", {"total": "1"}), ("retryable", 0)]:
        assert errors({**result, key: value}, SCHEMA["result"]) != []


def test_the_reader_waits_while_the_lanes_are_busy():
    """Backpressure: with one lane held by a slow candidate, megabytes of requests stay with the writer."""
    slow = request(id="slow", op="rms_norm", source="import time\ntime.sleep(4)\n")
    filler = request(id="n", op="rms_norm", source="#" * 200_000 + "\n" + SPOILED) + b"\n"
    judge = subprocess.Popen([BINARY, "judge", "--stream", "-j", "1", *FAST], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    written = []

    def feed():
        judge.stdin.write(slow + b"\n")
        for number in range(12):
            judge.stdin.write(filler)
            written.append(number)
        judge.stdin.close()

    feeder = threading.Thread(target=feed)
    feeder.start()
    first = json.loads(judge.stdout.readline())
    held = len(written)
    rest = judge.stdout.read().splitlines()
    feeder.join()
    judge.stdout.close()
    assert judge.wait() == 0
    assert first["id"] == "slow"
    assert held <= 5  # queued, read ahead, in the pipe, and what moved up when the slow one was done
    assert len(rest) == 12
