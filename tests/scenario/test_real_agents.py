# SPDX-License-Identifier: Apache-2.0
"""Real agents against the real small model. It solves nothing; what is tested is that every call is counted: the
proxy's sums are the server's own counts, and those of the agent's own log. `make test-agents` runs it: installing the
agents fetches 1.4 GB and takes longer than all other tests of a run together may."""
import contextlib
import fcntl
import json
import os
import pathlib
import sqlite3

import pytest
from conftest import HOME, kgbench
from test_local_model import counts, installed, server  # noqa: F401  (fixtures)

pytestmark = pytest.mark.skipif(os.environ.get("KGB_TEST_AGENTS") != "1", reason="installs agents: make test-agents")
MODEL = "smollm2-135m-instruct"
FAST = ["--tier", "smoke", "--target", "none", "--no-time", "--seed", "5eed", "--op", "aten::neg"]


def preset(folder, name, *more):
    """The catalogue's preset with words added before its last two, so that a small model ends early."""
    text = (HOME / "catalogue/agents" / f"{name}.toml").read_text()
    words = "".join(f'"{word}", ' for word in more)
    text = text.replace('command  = ["', 'command  = ["', 1).replace('"-t", "{task}"', f'{words}"-t", "{{task}}"', 1)
    (folder / "agents").mkdir(parents=True)
    (folder / "agents" / f"{name}.toml").write_text(text)
    return folder


def run(installed, server, folder, name, *more):  # noqa: F811
    """(calls in the ledger, the folder of the agent's workspace) of one operator. The agent is installed once and kept
    beside the model; whoever comes second waits for the first."""
    cache = pathlib.Path(installed["KGBENCH_CACHE"])
    with open(cache / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = kgbench("--catalogue", preset(folder / "more", name, *more), "run", "--contestant", f"agent:{name}",
                       "--install", "--model", MODEL, "--base-url", server, "--max-tokens", "60", "--minutes", "9",
                       "--out", folder / "run", *FAST, env={**installed, "OPENAI_API_KEY": "none"}, timeout=2400)
    if "pip could not install" in done.err:
        pytest.skip(done.err.strip())
    workspace = next((folder / "run/workspaces").iterdir())
    with contextlib.closing(sqlite3.connect(folder / "run/run.sqlite")) as store:
        calls = store.execute("SELECT status, prompt_tokens, completion_tokens, cached_tokens FROM model_call").fetchall()
    assert done.code == 0, done.err + (workspace / "agent.log").read_text()[-3000:]
    return calls, workspace


def grown(server, before):  # noqa: F811
    return [now - then for now, then in zip(counts(server), before)]


def test_mini_swe_agent(installed, server, tmp_path):  # noqa: F811
    before = counts(server)
    calls, workspace = run(installed, server, tmp_path, "mini-swe-agent", "-c", "agent.step_limit=2")
    log = (workspace / "agent.log").read_text()
    assert calls and {status for status, *_ in calls} == {"ok"}, log
    sums = [sum(prompt for _, prompt, _, _ in calls), sum(completion for _, _, completion, _ in calls)]
    assert grown(server, before) == sums
    trajectory = json.loads((workspace / "trajectory.json").read_text())
    usages = [message["extra"]["response"]["usage"] for message in trajectory["messages"]
              if "response" in message.get("extra", {})]
    assert sums == [sum(u["prompt_tokens"] for u in usages), sum(u["completion_tokens"] for u in usages)]
    assert trajectory["info"]["model_stats"]["api_calls"] == len(calls)


def test_aider(installed, server, tmp_path):  # noqa: F811
    before = counts(server)
    calls, workspace = run(installed, server, tmp_path, "aider")
    log = (workspace / "agent.log").read_text()
    assert calls and {status for status, *_ in calls} == {"ok"}, log
    assert grown(server, before) == [sum(prompt for _, prompt, _, _ in calls),
                                     sum(completion for _, _, completion, _ in calls)]
