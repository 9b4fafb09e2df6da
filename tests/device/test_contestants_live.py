# SPDX-License-Identifier: Apache-2.0
"""What an agent and a client of the MCP server are told of times, on a real GPU. `make test-gpu` there."""

import json
import os
import pathlib
import sqlite3
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
OP = "vllm::rms_norm"
SOURCE = (ROOT / "catalogue" / "operators" / "vllm" / "rms_norm" / "expert.py").read_text()
FAST = ["--tier", "smoke", "--target", "none", "--chip", "nvidia"]

pytestmark = pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")


def kgbench(*arguments, **more):
    return subprocess.run([os.environ["KGBENCH_BINARY"], *map(str, arguments)], capture_output=True, text=True, timeout=400,
                          env={**os.environ, "KGBENCH_HOME": str(ROOT), "OPENAI_API_KEY": "none"}, **more)


def test_an_agent_that_asks_for_times_gets_the_devices(tmp_path):
    agents = tmp_path / "more" / "agents"
    agents.mkdir(parents=True)
    assert "'''" not in SOURCE
    # It asks no model: what it hands in was there.
    (agents / "scripted.toml").write_text(
        'schema = "agent/1"\ntitle = "scripted"\ncommand = ["/usr/bin/python3", "agent.py"]\n[files]\n'
        "\"agent.py\" = '''\nimport subprocess\nsubprocess.run(['cp', 'found.py', 'solution.py'])\n"
        "raise SystemExit(subprocess.run(['kgbench', 'verify', 'solution.py']).returncode)\n'''\n"
        f"\"found.py\" = '''\n{SOURCE}'''\n")
    done = kgbench("--catalogue", tmp_path / "more", "run", "--contestant", "agent:scripted", "--model", "none", "--base-url",
                   "http://127.0.0.1:9", "--verify", "timed", "--op", OP, "--out", tmp_path / "run", "--allow-weak-lock", *FAST)
    if "without HTTP" in done.stderr:
        pytest.skip("this build has no HTTP, which agents need")
    assert done.returncode == 0, done.stderr
    log = next((tmp_path / "run").glob("workspaces/*/agent.log")).read_text()
    assert "times as fast as torch" in log and " us, " in log, log
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as store:
        assert store.execute("SELECT note, verdict FROM attempt").fetchall() == [("verify 1", "pass")]
        (text,), = store.execute("SELECT json FROM evaluation").fetchall()
    assert json.loads(text)["verdict"] == "pass"


def test_a_client_of_the_mcp_server_gets_the_devices_times():
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    messages = [{"id": 1, "method": "initialize", "params": hello}, {"method": "notifications/initialized"},
                {"id": 2, "method": "tools/call", "params": {"name": "evaluate_kernel", "arguments": {"op": OP, "source": SOURCE}}}]
    done = kgbench("mcp", "--allow-weak-lock", *FAST, input="".join(json.dumps({"jsonrpc": "2.0", **m}) + "\n" for m in messages))
    replies = {reply.get("id"): reply for reply in map(json.loads, done.stdout.splitlines())}
    result = replies[2]["result"]
    assert not result["isError"], result
    evaluation = result["structuredContent"]
    assert evaluation["verdict"] == "pass"
    assert 0.01 < evaluation["speedup"]["low"] <= evaluation["speedup"]["high"] < 100, evaluation
    assert "times" in result["content"][0]["text"]
