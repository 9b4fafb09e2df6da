# SPDX-License-Identifier: Apache-2.0
"""Methods that ask a model: runs against a server of our own on loopback, whose replies the tests choose."""
import collections
import contextlib
import http.server
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import types

import pytest
from conftest import BINARY, FAST, expert, kgbench

OPS = ["vllm::rms_norm", "cublas::Sdot"]
ONLY = ["--op", ",".join(OPS)]


class Model:
    """An OpenAI server: `answer(op, number, body)` gives the text, or a status, of an operator's number-th call."""

    def __init__(self, answer):
        self.answer, self.calls, self.lock = answer, collections.Counter(), threading.Lock()
        self.prompts = collections.defaultdict(list)
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                op = re.search(r"operator (\w+::\w+)", body["messages"][1]["content"]).group(1)
                with model.lock:
                    number = model.calls[op]
                    model.calls[op] += 1
                    model.prompts[op].append(body["messages"])
                reply = model.answer(op, number, body)
                if isinstance(reply, int):
                    self.respond(reply, json.dumps({"error": {"message": "refused by the test", "type": "test"}}))
                    return
                words = len(reply.split())
                self.respond(200, json.dumps({
                    "model": body["model"], "choices": [{"message": {"role": "assistant", "content": reply},
                                                         "finish_reason": "stop", "index": 0}],
                    "usage": {"prompt_tokens": 1000, "completion_tokens": words, "total_tokens": 1000 + words,
                              "prompt_tokens_details": {"cached_tokens": 200}}}))

            def respond(self, status, text):
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


KEY = os.environ | {"OPENAI_API_KEY": "sk-secret"}


@contextlib.contextmanager
def serving(answer):
    server = Model(answer)
    yield server
    server.close()


@pytest.fixture
def model():
    """Makes servers and closes them."""
    with contextlib.ExitStack() as made:
        yield lambda answer: made.enter_context(serving(answer))


def fenced(text):
    return f"Here it is.\n```python\n{text}```\n"


def right(op):
    return fenced(expert(op).read_text())


def wrong(op):
    """The expert with every load gone to zeros: it runs, and its values are wrong."""
    text = expert(op).read_text()
    assert "tl.load(" in text
    return fenced(text.replace("tl.load(", "0 * tl.load("))


def run(server, *arguments, contestant="one-shot", operators=ONLY):
    where = ["--model", "test-model", "--base-url", server.url + "/v1"] if server else []
    return kgbench("run", "--contestant", contestant, *where, *operators, *FAST, *arguments, env=KEY)


def resume(folder, server, *arguments):
    return kgbench("run", "--resume", folder, "--base-url", server.url + "/v1", *FAST, *arguments, env=KEY)


def rows(folder, sql):
    with sqlite3.connect(folder / "run.sqlite") as db:
        return db.execute(sql).fetchall()


def verdicts(folder):
    return dict(rows(folder, "SELECT op || '.' || sample, verdict FROM item LEFT JOIN evaluation ON item = item.id"))


# -- runs that several tests look at: starting the judge is what costs ------------------------------------------------
@pytest.fixture(scope="module")
def repaired(tmp_path_factory):
    """A run of repair whose model is wrong at first and right after that: folder, server, what it printed, its cassette."""
    place = tmp_path_factory.mktemp("repaired")
    with serving(lambda op, number, body: wrong(op) if number == 0 else right(op)) as server:
        done = run(server, "--out", place / "run", "--cassette", place / "tape.jsonl", "--cassette-mode", "record",
                   "--tier", "smoke,hidden", contestant="repair")
        assert done.code == 0, done.err
        yield types.SimpleNamespace(folder=place / "run", server=server, done=done, tape=place / "tape.jsonl")


@pytest.fixture(scope="module")
def sampled(tmp_path_factory):
    """A run of best-of-k, two samples each: one of the first operator's passes, nothing else is code."""
    folder = tmp_path_factory.mktemp("sampled") / "run"
    with serving(lambda op, number, body: right(op) if op == OPS[0] and number == 1 else "no") as server:
        done = run(server, "--out", folder, "--samples", 2, contestant="best-of-k")
        assert done.code == 0, done.err
        yield types.SimpleNamespace(folder=folder, server=server)


def test_the_key_is_nowhere_in_the_run(repaired):
    for file in [*repaired.folder.rglob("*"), repaired.tape]:
        assert file.is_dir() or b"sk-secret" not in file.read_bytes(), file
    assert "sk-secret" not in repaired.done.out + repaired.done.err


def test_repair_shows_the_judges_word_and_nothing_of_hidden_workloads(repaired):
    assert set(verdicts(repaired.folder).values()) == {"pass"}
    attempts = rows(repaired.folder, "SELECT op, round, verdict FROM attempt JOIN item ON item.id = item ORDER BY op, round")
    assert [(op, verdict) for op, _, verdict in attempts] == [
        (OPS[1], "wrong_value"), (OPS[1], "pass"), (OPS[0], "wrong_value"), (OPS[0], "pass")]
    said = repaired.server.prompts[OPS[0]][1][-1]["content"]
    assert "wrong_value" in said
    hidden = rows(repaired.folder, "SELECT description FROM workload WHERE tier = 'hidden'")
    assert hidden and not [text for text, in hidden if text in said]


def test_a_proposal_is_not_judged_under_the_seed_that_decides(repaired):
    decisive = {row[0] for row in rows(repaired.folder, "SELECT json_extract(json, '$.seed') FROM evaluation")}
    rehearsed = {row[0] for row in rows(repaired.folder, "SELECT json_extract(json, '$.seed') FROM attempt")}
    assert len(decisive) == 1 and len(rehearsed) == 4 and not decisive & rehearsed


def test_best_of_k_has_k_samples_of_each_operator_drawn_apart(sampled):
    found = verdicts(sampled.folder)
    assert len(found) == 4 and sorted(found.values()) == ["compile_error"] * 3 + ["pass"]
    assert set(rows(sampled.folder, "SELECT kind FROM finding")) == {("no_code",)}
    bodies = [messages for op in OPS for messages in sampled.server.prompts[op]]
    assert len(bodies) == 4 and all(len(messages) == 2 for messages in bodies)


def test_replay_judges_stored_samples_again_and_keeps_numbers_and_ledger(sampled, tmp_path):
    calls = sum(sampled.server.calls.values())
    done = run(None, "--out", tmp_path / "again", contestant=f"replay:{sampled.folder}")
    assert done.code == 0, done.err
    assert sum(sampled.server.calls.values()) == calls
    assert verdicts(tmp_path / "again") == verdicts(sampled.folder)
    ledger = ("SELECT op, sample, prompt_tokens, completion_tokens, seconds FROM model_call JOIN item ON item.id = item"
              " ORDER BY op, sample")
    assert rows(tmp_path / "again", ledger) == rows(sampled.folder, ledger)
    assert rows(tmp_path / "again", "SELECT contestant, model FROM run") == [("best-of-k", "test-model")]


def test_export_writes_winners_where_a_folder_of_candidates_has_them_and_all_samples(sampled, tmp_path):
    assert kgbench("export", sampled.folder, "--best", tmp_path / "won").code == 0
    assert sorted(str(p.relative_to(tmp_path / "won")) for p in (tmp_path / "won").rglob("*.*")) == [
        "index.json", "vllm/rms_norm.py"]
    assert (tmp_path / "won/vllm/rms_norm.py").read_text() == expert(OPS[0]).read_text()
    lines = [json.loads(line) for line in kgbench("export", sampled.folder).out.splitlines()]
    assert sorted((row["op"], row["sample"]) for row in lines) == sorted((op, n) for op in OPS for n in (0, 1))
    assert all(row["dollars"] is None and row["prompt_tokens"] == 1000 for row in lines)


def test_only_failed_takes_what_another_run_did_not_pass(sampled, model, tmp_path):
    server = model(lambda op, number, body: "no")
    done = run(server, "--out", tmp_path / "run", "--only-failed", sampled.folder, "--generate-only")
    assert done.code == 0, done.err
    assert verdicts(tmp_path / "run") == {OPS[1] + ".0": "compile_error"}


# -- runs of their own ----------------------------------------------------------------------------------------------
def test_a_server_that_fails_leaves_the_item_open_and_resume_asks_only_for_it(model, tmp_path):
    server = model(lambda op, number, body: 400 if op == OPS[1] and number == 0 else right(op))
    done = run(server, "--out", tmp_path / "run")
    assert done.code == 3 and "refused by the test" in done.out
    assert verdicts(tmp_path / "run") == {"vllm::rms_norm.0": "pass", "cublas::Sdot.0": None}
    again = resume(tmp_path / "run", server)
    assert again.code == 0, again.err
    assert server.calls == {OPS[0]: 1, OPS[1]: 2}
    assert set(verdicts(tmp_path / "run").values()) == {"pass"}
    ledger = rows(tmp_path / "run", "SELECT model, wire, status, prompt_tokens, cached_tokens, completion_tokens > 0, dollars,"
                                    " tries, replayed FROM model_call WHERE prompt_tokens > 0")
    assert ledger == [("test-model", "openai", "ok", 1000, 200, 1, None, 1, 0)] * 2
    assert rows(tmp_path / "run", "SELECT count(*), count(DISTINCT item) FROM model_call") == [(3, 2)]
    assert rows(tmp_path / "run", "SELECT model, json_extract(method, '$.temperature') FROM run") == [("test-model", 0.0)]


def test_a_wrong_key_ends_the_run_with_one_line(model, tmp_path):
    server = model(lambda op, number, body: 401)
    done = run(server, "--out", tmp_path / "run", "--generate-only")
    assert done.code != 0
    last = done.err.strip().splitlines()[-1]
    assert last.startswith("error:") and "401" in last and "OPENAI_API_KEY" in last
    assert "sk-secret" not in done.out + done.err


def test_parts_that_were_generated_here_are_joined_and_judged_elsewhere(model, tmp_path):
    server = model(lambda op, number, body: right(op))
    for op in OPS:
        done = run(server, "--generate-only", "--out", tmp_path / op, operators=["--op", op])
        assert done.code == 0, done.err
    shutil.copytree(tmp_path / OPS[0], tmp_path / "on-h200")  # one part also on a chip that this machine has not
    with contextlib.closing(sqlite3.connect(tmp_path / "on-h200/run.sqlite", isolation_level=None)) as store:
        store.execute("UPDATE run SET chip = 'h200'")
    done = kgbench("merge", *(tmp_path / op for op in OPS), tmp_path / "on-h200", "--out", tmp_path / "all")
    assert done.code == 0, done.err
    by_chip = ("SELECT chip, op, verdict FROM run JOIN item ON item.run = run.id LEFT JOIN evaluation ON item = item.id"
               " ORDER BY chip, op")
    parts = [("cpu", op) for op in sorted(OPS)] + [("h200", OPS[0])]
    assert rows(tmp_path / "all", by_chip) == [(chip, op, None) for chip, op in parts]
    assert rows(tmp_path / "all", "SELECT count(DISTINCT item) FROM model_call") == [(3,)]
    (tmp_path / "all").rename(tmp_path / "elsewhere")  # another machine: no server, no key, another place
    there = kgbench("run", "--resume", tmp_path / "elsewhere", "--judge-only", *FAST)
    assert there.code == 0, there.err
    assert rows(tmp_path / "elsewhere", by_chip) == [(chip, op, "pass" if chip == "cpu" else None) for chip, op in parts]
    assert rows(tmp_path / "elsewhere", "SELECT chip, status FROM run ORDER BY chip") == [("cpu", "complete"),
                                                                                          ("h200", "stopped")]
    assert [page.parent.name for page in (tmp_path / "elsewhere").rglob("report.html")] == ["cpu"]
    assert server.calls == {op: 1 for op in OPS}


def test_runs_of_other_protocols_are_not_joined(sampled, repaired, tmp_path):
    refused = kgbench("merge", sampled.folder, repaired.folder, "--out", tmp_path / "none")
    assert refused.code == 2 and "contestant differs" in refused.err and len(refused.err.splitlines()) == 1
    assert not (tmp_path / "none").exists()


def test_to_generate_nothing_but_the_model_is_needed(model, tmp_path):
    server = model(lambda op, number, body: right(op))
    command = ["run", "--contestant", "one-shot", "--model", "m", "--base-url", server.url + "/v1", *ONLY, *FAST]
    without = KEY | {"KGBENCH_PYTHON": "/nonexistent/python"}
    done = kgbench(*command, "--generate-only", "--out", f"{tmp_path}/run/", env=without)
    assert done.code == 0, done.err
    assert rows(tmp_path / "run", "SELECT id FROM run") == [("run",)]
    assert sorted(p.name for p in (tmp_path / "run/candidates").rglob("*.py")) == ["Sdot.py", "rms_norm.py"]
    done = kgbench("run", "--resume", tmp_path / "run", "--judge-only", "--model", "another", *FAST, env=without)
    assert done.code == 2 and "the run was begun with --model m; another one would be another run" in done.err
    done = kgbench("run", "--resume", tmp_path / "run", "--judge-only", *FAST, env=without)
    assert done.code == 3, done.err
    assert done.err.splitlines()[-1].startswith("error: ") and "/nonexistent/python" in done.err


def test_a_cassette_replays_without_a_server(model, tmp_path):
    server = model(lambda op, number, body: right(op))
    tape = ["--generate-only", "--cassette", tmp_path / "tape.jsonl", "--cassette-mode"]
    assert run(server, "--out", tmp_path / "first", *tape, "record").code == 0
    server.close()
    done = run(server, "--out", tmp_path / "second", *tape, "replay")
    assert done.code == 0, done.err
    first, second = ({p.name: p.read_text() for p in (tmp_path / which / "candidates").rglob("*.py")}
                     for which in ("first", "second"))
    assert first == second and len(first) == 2
    assert rows(tmp_path / "second", "SELECT DISTINCT replayed, prompt_tokens FROM model_call") == [(1, 1000)]


def test_a_token_budget_stops_cleanly_and_says_what_was_not_tried(model, tmp_path):
    server = model(lambda op, number, body: right(op))
    done = run(server, "--out", tmp_path / "run", "--budget-tokens", 900, "--model-concurrency", 1, "-j", 1, "--generate-only")
    assert done.code == 3 and "the run's budget of 900 tokens" in done.out
    assert sum(server.calls.values()) == 1
    more = resume(tmp_path / "run", server, "--budget-tokens", 1_000_000, "--generate-only")
    assert more.code == 0, more.err
    assert sum(server.calls.values()) == 2


def test_the_published_protocol_says_what_still_differs_and_what_was_taken_back():
    command = ["run", "--contestant", "one-shot", "--model", "m", "--protocol", "published", "--dry-run", *ONLY]
    told = [line for line in kgbench(*command).err.splitlines() if "differs from the published protocol: " in line]
    assert len(told) >= 6 and not any(" as asked for, not " in line for line in told)
    more = kgbench(*command, "--tier", "smoke", "--temperature", "0.3", "--seed", "2a").err.splitlines()
    assert [line for line in more if line in told] == told
    assert [line.rpartition(": ")[2] for line in more if line not in told] == [
        "--tier smoke as asked for, not full", "temperature 0.3 of 1 samples as asked for, not 0 of 1 or 0.8 of 5"]


@pytest.mark.parametrize("method, asked, told", [
    ("best-of-k", ["--samples", "5", "--seed", "2A", "--item-hours", "0.50", "--tier", "full,full"], []),
    ("one-shot", ["--temperature", "0", "--samples", "1"], []),
    ("one-shot", ["--samples", "5", "--temperature", "0.8"], []),
    ("one-shot", ["--samples", "5"], ["temperature 0 of 5 samples as asked for, not 0 of 1 or 0.8 of 5"]),
    ("union-of-k", ["--temperature", "0"], ["temperature 0 of 5 samples as asked for, not 0 of 1 or 0.8 of 5"]),
    ("repair", ["--temperature", "0"], []),
    ("best-of-k", ["--samples", "3", "--item-dollars", "5"], [
        "--samples 3 as asked for, not 1 or 5", "--item-dollars 5 as asked for, not 50"])])
def test_what_is_asked_for_as_published_is_not_taken_back(method, asked, told):
    done = kgbench("run", "--contestant", method, "--model", "m", "--protocol", "published", "--dry-run", *ONLY, *asked)
    assert done.code == 0, done.err
    assert [line.rpartition(": ")[2] for line in done.err.splitlines() if " as asked for, not " in line] == told


def test_a_dry_run_asks_nothing_and_prints_the_plan(model, tmp_path):
    server = model(lambda op, number, body: right(op))
    done = run(server, "--samples", 4, "--dry-run", contestant="best-of-k")
    assert done.code == 0, done.err
    assert "2 operators x 4 samples = 8 items" in done.out
    assert "calls of the model: 8 to 8" in done.out and "cost: unknown" in done.out
    assert not server.calls


def test_a_killed_run_resumes_to_the_same_samples(model, tmp_path):
    def slow(op, number, body):
        time.sleep(1.0)
        return right(op) if number == 1 else "no"

    server = model(slow)
    command = [BINARY, "run", "--contestant", "best-of-k", "--samples", "3", "--model", "test-model", "--base-url",
               server.url + "/v1", *ONLY, *FAST, "--model-concurrency", "2", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(command, env=KEY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and sum(server.calls.values()) < 3:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = rows(tmp_path / "run", "SELECT op, sample FROM item ORDER BY id")
    done = resume(tmp_path / "run", server)
    assert done.code == 0, done.err
    assert rows(tmp_path / "run", "SELECT op, sample FROM item ORDER BY id") == before
    assert len(before) == 6 and None not in verdicts(tmp_path / "run").values()


@pytest.mark.parametrize("arguments, word", [
    (["--contestant", "one-shoot"], "one-shot"),
    (["--contestant", "one-shot"], "--model"),
    (["--contestant", "one-shot", "--model", "m", "--temperature", "9"], "0 to 2"),
    (["--contestant", "one-shot", "--model", "m", "--samples", "0"], "1 to 1000"),
    (["--contestant", "replay:/nowhere"], "/nowhere"),
    (["--contestant", "experts", "--judge-only"], "--resume"),
    (["--contestant", "experts", "--only-failed", "/nowhere"], "/nowhere"),
])
def test_mistakes_are_one_line_and_exit_code_two(arguments, word, tmp_path):
    done = kgbench("run", *arguments, *ONLY, *FAST, "--out", tmp_path / "run",
                   env={k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")})
    assert done.code == 2, done.err
    assert len(done.err.strip().splitlines()) == 1 and word in done.err
    assert not (tmp_path / "run").exists()
