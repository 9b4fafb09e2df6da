# SPDX-License-Identifier: Apache-2.0
"""Agents as contestants, from the command line to the ledger: a scripted agent before a scripted model."""
import contextlib
import json
import os
import pathlib
import sqlite3
import tempfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from conftest import HOME, expert, kgbench

OP = "aten::neg"
KEY = "sk-the-judge-s-own"
FAST = ["--tier", "smoke", "--target", "none", "--no-time", "--seed", "5eed", "--op", OP]
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
ASK = """
import json, os, urllib.error, urllib.request

def ask(**more):
    body = json.dumps({"model": os.environ["KGBENCH_MODEL"], "messages": [{"role": "user", "content": "?"}], **more})
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body.encode(),
                                     {"Content-Type": "application/json"})
    return urllib.request.urlopen(request)
"""


class Model(ThreadingHTTPServer):
    """An OpenAI-compatible server that says what a file says, and keeps the requests."""
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests, self.keys = [], set()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.keys.add(self.headers["Authorization"])
        choice = {"index": 0, "finish_reason": "stop"}
        if not request.get("stream"):
            reply = {"model": "fake-1", "usage": USAGE, "choices": [{**choice, "message": {"content": "pass"}}]}
            return self.say(json.dumps(reply), "application/json")
        events = [{"model": "fake-1", "choices": [{"index": 0, "delta": {"content": "x"}}]}] * 3
        events += [{"choices": [{**choice, "delta": {}}]}, {"choices": [], "usage": USAGE}]
        return self.say("".join(f"data: {json.dumps(e)}\n\n" for e in events) + "data: [DONE]\n\n", "text/event-stream")

    def say(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


# What an agent did shows without a verdict on its file; starting the judge is what costs.
UNJUDGED = ["--generate-only"]


@pytest.fixture
def model():
    server = Model()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()


class Run:
    """A run of the agent `program`, which finds the operator's expert in found.py, as if a model had written it."""

    def __init__(self, folder, model, program, *options):
        agents = folder / "more" / "agents"
        agents.mkdir(parents=True)
        source = expert(OP).read_text()
        assert "'''" not in source + program
        (agents / "scripted.toml").write_text(
            'schema = "agent/1"\ntitle = "scripted"\ncommand = ["/usr/bin/python3", "agent.py"]\n'
            f"[files]\n\"agent.py\" = '''\n{ASK}{program}'''\n\"found.py\" = '''\n{source}'''\n")
        self.folder, self.source = folder / "run", source
        self.done = kgbench("--catalogue", folder / "more", "run", "--contestant", "agent:scripted", "--model", "fake",
                            "--base-url", model.url, "--out", self.folder, *FAST, *options,
                            env={**os.environ, "OPENAI_API_KEY": KEY})

    def rows(self, query):
        with contextlib.closing(sqlite3.connect(self.folder / "run.sqlite")) as store:
            return store.execute(query).fetchall()

    @property
    def verdicts(self):
        return [json.loads(text)["verdict"] for text, in self.rows("SELECT json FROM evaluation")]

    @property
    def answer(self):
        """The file that the agent left."""
        [file] = self.folder.glob("candidates/**/*.py")
        return file.read_text()

    @property
    def log(self):
        return next(self.folder.glob("workspaces/*/agent.log")).read_text()


def test_an_agent_that_finds_the_kernel_passes_and_its_way_is_in_the_ledger(tmp_path, model):
    run = Run(tmp_path, model, """
import shutil, subprocess
assert subprocess.run(["kgbench", "verify", "solution.py"]).returncode == 1, "the stub"
ask()
shutil.copy("found.py", "solution.py")
assert subprocess.run(["kgbench", "verify", "solution.py"]).returncode == 0
ask(stream=True).read()
raise SystemExit(1)
""")
    assert run.done.code == 0, run.done.err
    assert run.verdicts == ["pass"], run.log
    assert run.rows("SELECT note, verdict FROM attempt") == [("verify 1", "wrong_value"), ("verify 2", "pass")]
    calls = run.rows("SELECT status, prompt_tokens, completion_tokens, cached_tokens FROM model_call")
    assert calls == [("ok", 11, 7, 0)] * 2
    assert model.keys == {f"Bearer {KEY}"}
    assert model.requests[1]["stream_options"] == {"include_usage": True}


def test_the_key_stands_nowhere(tmp_path, model):
    run = Run(tmp_path, model, "ask()\nprint(dict(os.environ), open('TASK.md').read())\n", *UNJUDGED)
    assert "OPENAI_API_KEY" in run.log
    for path in run.folder.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert KEY not in run.done.out + run.done.err


def test_an_agent_that_leaves_the_stub_fails_whatever_its_exit_code(tmp_path, model):
    run = Run(tmp_path, model, "ask()\n", *UNJUDGED)
    assert run.done.code == 0, run.done.err
    assert run.verdicts == ["compile_error"] and run.rows("SELECT kind FROM finding") == [("no_code",)]
    assert "exited with code 0" in run.log


def test_time_ends_an_agent_and_its_file_is_its_answer(tmp_path, model):
    run = Run(tmp_path, model, "import shutil, time\nshutil.copy('found.py', 'solution.py')\nask()\ntime.sleep(3000)\n",
              "--minutes", "0.1", *UNJUDGED)
    assert run.answer == run.source
    assert "killed at its time limit" in run.log


def test_a_budget_is_an_error_of_the_vendor_s_and_the_item_stays_open(tmp_path, model):
    run = Run(tmp_path, model, """
for _ in range(3):
    try:
        ask()
    except urllib.error.HTTPError as error:
        print(error.code, json.load(error)["error"]["type"])
""", "--item-tokens", "30", *UNJUDGED)
    assert len(model.requests) == 2
    assert "402 insufficient_quota" in run.log
    assert not list(run.folder.glob("candidates/**/*.py")) and "Open: aten::neg sample 0" in run.done.out
    assert len(run.rows("SELECT id FROM model_call")) == 2


def test_an_agent_that_hangs_up_leaves_a_partial_call(tmp_path, model):
    run = Run(tmp_path, model, "ask().close()\nimport socket\n"
              "import re\nhost, port, path = re.match('http://(.*):([0-9]+)(/.*)', os.environ['OPENAI_BASE_URL']).groups()\n"
              "s = socket.create_connection((host, int(port)))\n"
              "s.sendall(f'POST {path}/chat/completions HTTP/1.1\\r\\nContent-Length: 99\\r\\n\\r\\n'.encode())\ns.close()\n", *UNJUDGED)
    assert len(run.rows("SELECT id FROM model_call")) == 1, "half a request is no call"
    assert run.verdicts == ["compile_error"]


def test_a_hostile_agent_reads_no_answer_and_reaches_nobody(tmp_path, model):
    run = Run(tmp_path, model, f"""
import pathlib, socket
def refused(what):
    try:
        what()
    except OSError:
        return
    print("reached", what)
answers = pathlib.Path({str(HOME)!r}) / "catalogue"
refused(lambda: (answers / "operators/aten/neg/expert.py").read_text())
refused(lambda: list(answers.iterdir()))
refused(lambda: open({str(tmp_path / "run/run.sqlite")!r}, "rb"))
refused(lambda: socket.create_connection(("127.0.0.1", {model.server_port}), timeout=5))
refused(lambda: socket.create_connection(("192.0.2.1", 80), timeout=5))
ask(model="another", tools=[])
try:
    ask(tools=[dict(type="web_search")])
except urllib.error.HTTPError as error:
    print("refused with", error.code)
""", *UNJUDGED)
    assert "reached" not in run.log, run.log
    assert "refused with 403" in run.log
    assert [request["model"] for request in model.requests] == ["fake"]


def test_without_verify_there_is_none(tmp_path, model):
    run = Run(tmp_path, model, "import shutil\nprint('found:', shutil.which('kgbench'))\n", "--verify", "off", *UNJUDGED)
    assert "found: None" in run.log
    assert run.rows("SELECT id FROM attempt") == []


def test_without_a_call_tokens_are_unknown_and_not_zero(tmp_path, model):
    run = Run(tmp_path, model, "import shutil\nshutil.copy('found.py', 'solution.py')\n", *UNJUDGED)
    assert run.answer == run.source
    assert run.rows("SELECT prompt_tokens, completion_tokens FROM model_call") == [(None, None)]


@pytest.fixture
def place():
    """A folder that agents of any user can read; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory(prefix="kgb-agents-") as name:
        pathlib.Path(name).chmod(0o755)
        yield pathlib.Path(name)


def wheel(folder):
    """An agent as a package with a program, made by hand."""
    folder.mkdir()
    info = "tiny_agent-1.0.dist-info"
    with zipfile.ZipFile(folder / "tiny_agent-1.0-py3-none-any.whl", "w") as file:
        file.writestr("tiny_agent.py", "def main():\n    open('solution.py', 'w').write('tiny = 1\\n')\n    print('tiny ran')\n")
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-agent\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/entry_points.txt", "[console_scripts]\ntiny-agent = tiny_agent:main\n")
        file.writestr(f"{info}/RECORD", "")


def test_an_agent_of_the_package_index_is_installed_apart_and_runs(tmp_path, model, place):
    wheel(place / "wheels")
    agents = tmp_path / "more" / "agents"
    agents.mkdir(parents=True)
    (agents / "tiny.toml").write_text('schema = "agent/1"\ntitle = "tiny"\ninstall = ["tiny-agent==1.0"]\n'
                                      'command = ["tiny-agent"]\n')
    command = ["--catalogue", tmp_path / "more", "run", "--contestant", "agent:tiny", "--model", "fake", "--base-url",
               model.url, *FAST]
    environment = {**os.environ, "OPENAI_API_KEY": KEY, "KGBENCH_CACHE": str(place / "cache"), "PIP_NO_INDEX": "1",
                   "PIP_FIND_LINKS": str(place / "wheels")}
    missing = kgbench(*command, "--out", tmp_path / "without", env=environment)
    assert missing.code == 2 and "tiny is not installed. Add --install: pip puts tiny-agent==1.0 into" in missing.err
    done = kgbench(*command, "--install", "--out", tmp_path / "run", *UNJUDGED, env=environment)
    assert done.code == 0, done.err
    assert (place / "cache/agents/tiny/.complete").read_text() == "tiny-agent==1.0"
    assert "tiny ran" in next(tmp_path.glob("run/workspaces/*/agent.log")).read_text()
    assert next(tmp_path.glob("run/workspaces/*/solution.py")).read_text() == "tiny = 1\n"


@pytest.mark.parametrize(("arguments", "said"), [
    (["--contestant", "agent:mini-swe-agnt", "--model", "m"], "did you mean 'mini-swe-agent'?"),
    (["--contestant", "agent:", "--model", "m"], "names no agent"),
    (["--contestant", "agent:aider"], "--model"),
])
def test_mistakes_are_one_line(tmp_path, model, arguments, said):
    done = kgbench("run", *arguments, "--base-url", model.url, "--out", tmp_path / "run", *FAST,
                   env={**os.environ, "OPENAI_API_KEY": KEY})
    assert done.code == 2
    assert len(done.err.splitlines()) == 1 and said in done.err, done.err
